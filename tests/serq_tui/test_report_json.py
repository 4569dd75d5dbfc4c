"""Figures as the reference's JSON: whole, missing and infinite ones."""

from __future__ import annotations

import json
import math

from serq_tui.report_json import report_json, samples_json


def test_a_whole_figure_of_a_report_has_no_fraction() -> None:
    # R9.1: finite numbers are printed without `.0`
    assert json.dumps(report_json({"end": 300.0, "mean": 0.5, "count": 3})) == '{"end": 300, "mean": 0.5, "count": 3}'


def test_a_negative_zero_keeps_its_sign() -> None:
    # R9.1: a -0 prints as such; as an integer it would lose the sign
    assert math.copysign(1.0, report_json(-0.0)) == -1.0
    assert json.dumps(report_json(0.0)) == "0"


def test_a_figure_that_does_not_exist_is_null_in_a_report() -> None:
    assert report_json([math.nan, math.inf, -math.inf, None]) == [None, None, None, None]


def test_truth_values_and_texts_of_a_report_stay() -> None:
    assert report_json({"idle_with_work": False, "name": "kv"}) == {"idle_with_work": False, "name": "kv"}


def test_samples_keep_their_fraction_and_say_infinities_in_words() -> None:
    # the form of the recorded cases: samples are floats throughout
    assert json.dumps(samples_json((1.0, math.inf, -math.inf, math.nan))) == '[1.0, "inf", "-inf", "nan"]'


def test_a_large_whole_figure_has_the_shortest_digits_that_read_back() -> None:
    # R9.1; measured on the reference, case 223 of its recorded IRs: seventeen digits, then zeros
    assert json.dumps(report_json(3.1153781151208965e33)) == "3115378115120896500000000000000000"

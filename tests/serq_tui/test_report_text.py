"""The report for people, on recorded reports of the reference."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from serq_tui.report_text import print_report
from tests.cases import Group, case


def shown(group: Group, number: str) -> str:
    output = io.StringIO()
    print_report(case(group, number).data["report"], number, Console(file=output, width=300))
    return output.getvalue()


def row(text: str, first: str) -> list[str]:
    """The cells of the one line that begins with a word."""
    lines = [line for line in text.splitlines() if line.split()[:1] == [first]]
    assert len(lines) == 1, lines
    return lines[0].split()


def test_observations_stand_with_count_mean_half_width_and_quantile() -> None:
    # heavy2 at horizon 30, figures of the recorded report rounded to four digits:
    # hit: 340 samples, mean 0.34412, ci 0.057384, cv2 1.9116, p99 1
    assert row(shown("bench", "heavy2"), "hit") == ["hit", "340", "0.3441", "±0.05738", "1.912", "1"]


def test_client_figures_are_times_with_a_unit() -> None:
    # recorded: ttft mean 0.050516 s, ci 0.0086382 s, p99 0.19012 s
    text = shown("bench", "heavy2")
    line = next(line for line in text.splitlines() if line.startswith("time to first token"))
    assert line.split()[4:] == ["338", "50.5", "ms", "±8.64", "ms", "0.6626", "190", "ms"]


def test_an_engine_and_a_plain_stage_have_tables_of_their_own() -> None:
    text = shown("bench", "heavy2")
    assert row(text, "vllm")[:3] == ["vllm", "62,664", "98.9%"]
    assert row(text, "tool")[:2] == ["tool", "125"]


def test_a_figure_that_does_not_exist_is_a_dash() -> None:
    # 043: its one observation is never made, so it has no mean
    assert row(shown("corpus_ok", "043"), "fin") == ["fin", "0", "–", "–", "–", "–"]


def test_an_engine_left_idle_with_work_is_said_in_words() -> None:
    assert "! llm is idle with work" in shown("corpus_ok", "043")


def test_growths_that_wait_for_each_other_are_said_in_words() -> None:
    assert "! kv: every session that holds it waits to grow in it" in shown("corpus_ok", "084")


def test_a_head_that_can_never_fit_is_named_with_its_queue_and_need() -> None:
    # recorded: over_cap {"queue": "box", "need": 9}
    assert "! box: the head of box asks for 9" in shown("corpus_ok", "146")


def test_claims_are_told_by_what_came_of_them() -> None:
    text = shown("corpus_ok", "126")
    assert row(text, "fills")[1] == "holds"
    assert row(text, "mixes")[1] == "witnessed"
    assert "NEVER SEEN" in text


def test_a_member_of_a_family_has_its_index() -> None:
    # 085 has a family of engines with a pool each
    report: dict[str, Any] = case("corpus_ok", "085").data["report"]
    member = next(pool for pool in report["pools"] if pool["index"] == 1)
    assert row(shown("corpus_ok", "085"), f"{member['name']}[1]")


def test_nothing_is_folded_or_cut_where_there_is_no_terminal() -> None:
    assert "…" not in shown("bench", "light")

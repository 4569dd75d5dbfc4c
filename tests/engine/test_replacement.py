"""A closed population in which every session ends at once: time never passes, and the run says so instead of going on for ever."""

from __future__ import annotations

import pytest

from engine import endings
from grammar import ir
from tests.engine.programs import Model, run
from tests.engine.watching import failed, finished


def test_a_closed_population_that_ends_at_once_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference does not answer such a program (measured), so the number is ours, made small here."""
    monkeypatch.setattr(endings, "MOST_REPLACED", 50)
    m = Model()
    m.arrive(ir.Closed(2))
    m.session()
    failure = failed(m.build()).failure
    assert failure is not None
    assert failure.message.startswith("time 0 never passes: 51 sessions ended at this instant")


def test_a_closed_population_whose_time_passes_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at a time, replaced every second: never more than two at one instant, 200 in all by the horizon of 100."""
    monkeypatch.setattr(endings, "MOST_REPLACED", 2)
    m = Model()
    dl = m.delay()
    m.arrive(ir.Closed(2))
    m.session(run(dl, 1))
    assert finished(m.build(100)).state.arrived == 2 + 200

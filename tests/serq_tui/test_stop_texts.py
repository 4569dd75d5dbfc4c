"""Stops and watched values by the texts people give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.breakpoints import (
    Breakpoint,
    OnAdmission,
    OnEnd,
    OnEviction,
    OnFirstToken,
    OnIdle,
    OnPreemption,
    OnRegister,
    OnRejection,
    OnRequest,
    OnStatement,
)
from engine.conditions import OnChange, OnCondition
from serq_tui.loading import load_program
from serq_tui.options import RunOptions
from serq_tui.stop_texts import NoSuchStop, Stopping, completed
from serq_tui.stop_words import kind_and_object, written
from tests.serq_tui.piloting import EXAMPLES, PREEMPTION

TGI = EXAMPLES / "tgi.sq"
ENGINE = 0

TWO_ENGINES = """\
fn main() {
  device gpu { }
  device tpu { }
  engine one on gpu { tokens cap 8; schedule { advance running; admit waiting; } execute (1); }
  engine two on tpu { tokens cap 8; schedule { advance running; admit waiting; } execute (1); }
  workload { arrive batch(1); }
  server { run one decode (cost(one, 9)); run two decode (cost(two, 9)); }
}
"""


def stopping(path: Path) -> Stopping:
    return Stopping.of(load_program(path, RunOptions()))


@pytest.fixture(scope="module")
def tgi() -> Stopping:
    return stopping(TGI)


@pytest.fixture
def two(tmp_path: Path) -> Stopping:
    path = tmp_path / "two.sq"
    path.write_text(TWO_ENGINES, encoding="utf-8")
    return stopping(path)


KV = 0
NAMED: list[tuple[str, Breakpoint]] = [
    ("preemption", OnPreemption(None)),
    ("preemption kv", OnPreemption(KV)),
    ("idle", OnIdle(None)),
    ("idle tgi", OnIdle(ENGINE)),
    ("admission", OnAdmission(None)),
    ("admission kv", OnAdmission(KV)),
    ("eviction kv", OnEviction(KV)),
    ("first token", OnFirstToken()),
    ("end", OnEnd()),
    ("rejection", OnRejection()),
    ("request 7", OnRequest(7)),
    ("register just", OnRegister(0)),
]


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_a_stop_has_a_text_and_the_text_names_it(tgi: Stopping, text: str, expected: Breakpoint) -> None:
    on = tgi.stop_named(text, ENGINE)
    assert on == (expected,)
    assert written(on, tgi.names, tgi.loaded.places) == text


def test_a_request_is_also_named_as_the_panes_do(tgi: Stopping) -> None:
    assert tgi.stop_named(" r7 ", ENGINE) == (OnRequest(7),)


def test_a_line_is_its_schedule_statement(tgi: Stopping) -> None:
    (at, place) = next(iter(tgi.loaded.places.schedule.items()))
    on = tgi.stop_named(f"line {place.line}", ENGINE)
    assert on == (OnStatement(*at),)
    assert kind_and_object(on, tgi.names, tgi.loaded.places) == ("line", str(place.line))


def test_anything_else_is_a_condition_and_keeps_its_text(tgi: Stopping) -> None:
    (on,) = tgi.stop_named("running.count > 8 && just == 1", ENGINE)
    assert isinstance(on, OnCondition)
    assert on.value.engine == ENGINE
    assert written((on,), tgi.names, tgi.loaded.places) == "running.count > 8 && just == 1"


def test_a_change_of_a_value_can_be_stopped_on(tgi: Stopping) -> None:
    (on,) = tgi.stop_named("change used(kv)", ENGINE)
    assert isinstance(on, OnChange)
    assert on.value.engine is None
    assert written((on,), tgi.names, tgi.loaded.places) == "change used(kv)"


def test_with_several_engines_a_condition_says_whose_values_it_reads(two: Stopping) -> None:
    first, second = two.names.engines
    for text in ("two: running.count > 1", "running.count > 1"):
        (on,) = two.stop_named(text, second)
        assert isinstance(on, OnCondition)
        assert (on.value.text, on.value.engine) == ("two: running.count > 1", second)
    (on,) = two.stop_named("two: running.count > 1", first)
    assert isinstance(on, OnCondition)
    assert on.value.engine == second
    # what reads no engine means the same everywhere
    assert two.value_named("arrived", first).text == "arrived"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "nothing is typed yet"),
        ("preemtion", "'preemtion' is no stop; did you mean preemption?"),
        ("preemtion kv", "'preemtion kv' is no stop; did you mean preemption?"),
        ("preemption kw", "there is no pool kw; did you mean kv?"),
        ("preemption memory", "there is no pool memory; there is kv"),
        ("idle tgy", "there is no engine tgy; did you mean tgi?"),
        ("register jist", "there is no register jist; did you mean just?"),
        ("claim fast", "there is no claim fast"),
        ("request seven", "request seven names no request: they have numbers, such as request 7"),
        ("line x", "'x' is no line: they have numbers, such as line 48"),
    ],
)
def test_what_names_none_gets_one_sentence(tgi: Stopping, text: str, answer: str) -> None:
    with pytest.raises(NoSuchStop) as no:
        tgi.stop_named(text, ENGINE)
    assert str(no.value) == answer


def test_a_line_without_a_statement_says_where_they_stand(tgi: Stopping) -> None:
    lines = sorted({place.line for place in tgi.loaded.places.schedule.values()})
    with pytest.raises(NoSuchStop, match=f"no schedule statement stands on line 1; they stand on lines {lines[0]}, "):
        tgi.stop_named("line 1", ENGINE)


@pytest.mark.parametrize(
    ("text", "caret"),
    [
        ("used(kx) > 3", "     ^~"),
        ("  used(kx) > 3", "       ^~"),
        ("tgi: used(kx) > 3", "          ^~"),
        ("change  used(kx)", "             ^~"),
        ("1 < runing.count", "    ^~~~~~~~~~~~"),
    ],
)
def test_what_is_wrong_in_an_expression_is_pointed_at_where_it_was_typed(tgi: Stopping, text: str, caret: str) -> None:
    with pytest.raises(NoSuchStop) as no:
        tgi.stop_named(text, ENGINE)
    assert no.value.caret == caret
    assert no.value.advice.startswith("did you mean `")


def test_every_text_that_is_offered_names_a_stop(tgi: Stopping) -> None:
    for text in tgi.stops():
        if not text.endswith(" "):
            assert written(tgi.stop_named(text, ENGINE), tgi.names, tgi.loaded.places) == text


def test_every_value_that_is_offered_can_be_watched() -> None:
    for path in (TGI, PREEMPTION):
        program = stopping(path)
        for text in program.values():
            assert program.value_named(text, ENGINE).text == text


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("pre", "preemption"),
        ("preemption k", "preemption kv"),
        ("reg", "register just"),
        ("running.count > 8 && us", "running.count > 8 && used(kv)"),
        ("3 * batch", "3 * batch.tokens"),
        ("", None),
        ("zzz", None),
        ("preemption kv", None),
    ],
)
def test_a_text_being_typed_is_continued_whole_or_by_its_last_word(tgi: Stopping, text: str, becomes: str | None) -> None:
    assert completed(text, tgi.stops, tgi.values) == becomes

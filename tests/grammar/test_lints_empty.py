"""Whether an empty engine can admit again: what is warned of does stand still, and what is suggested mends it."""

from __future__ import annotations

import pytest

from tests.grammar.warning import engine, idle_with_work, warned, warnings

JUST = "state just = 0;"
LATCH = "advance running; branch (just == 0) { admit waiting; } set just = waiting.admitted > 0;"
PAUSE = "advance running; branch (pause == 0) { admit waiting; } set pause = waiting.admitted > 0 ? 3 : max(0, pause - 1);"

SHUT = {
    "a register that an iteration leaves closed": (LATCH, JUST, "just == 0"),
    "a condition of the admission itself": (
        "advance running; admit waiting while (just == 0); set just = waiting.admitted > 0;",
        JUST,
        "just == 0",
    ),
    "a register that counts down only while somebody runs": (PAUSE, "state pause = 0;", "pause == 0"),
    "a register that counts up to a limit": (
        "advance running; admit waiting while (seen < 2); set seen = seen + (waiting.admitted > 0);",
        "state seen = 0;",
        "seen < 2",
    ),
    "an admission in the other arm": (
        "branch (just == 1) { advance running; } else { advance running; admit waiting; } set just = waiting.admitted > 0;",
        JUST,
        "just == 1",
    ),
    "a register that another one follows": (
        "advance running; branch (b == 0) { admit waiting; } set b = a; set a = waiting.admitted > 0 || a;",
        "state a = 0; state b = 0;",
        "b == 0",
    ),
    "a condition that also asks for something unknown": (
        "advance running; branch (just == 0 && waiting.count > 0) { admit waiting; } set just = waiting.admitted > 0;",
        JUST,
        "just == 0 && waiting.count > 0",
    ),
}


@pytest.mark.parametrize("case", SHUT)
def test_a_register_that_can_shut_an_empty_engine_is_warned_of_and_does(case: str) -> None:
    # One place and one iteration a request: the engine is empty after each iteration.
    schedule, states, condition = SHUT[case]
    text = engine(schedule, states=states)
    assert warned(text) == [("E1503", condition)]
    assert idle_with_work(text)


@pytest.mark.parametrize("case", SHUT)
def test_what_is_suggested_lets_an_empty_engine_admit(case: str) -> None:
    schedule, states, condition = SHUT[case]
    (warning,) = warnings(engine(schedule, states=states))
    assert warning.suggestion is not None
    statement = warning.suggestion.split("  ")[0]
    mended = schedule.replace(f"{statement.split()[0]} ({condition})", statement)
    assert mended != schedule
    text = engine(mended, states=states)
    assert warned(text) == []
    assert not idle_with_work(text)


def test_the_warning_says_which_register_has_which_value() -> None:
    (warning,) = warnings(engine(PAUSE, states="state pause = 0;"))
    assert "`pause` is 3" in warning.message


def test_a_condition_in_a_definition_is_pointed_at_where_it_is_written() -> None:
    text = "def open() { just == 0 }" + engine(LATCH.replace("just == 0", "open()"), states=JUST)
    (warning,) = warnings(text)
    assert (warning.id, warning.span and warning.span.line) == ("E1503", 1)
    assert warning.notes[-1].message.startswith("in `open`, used at")


@pytest.mark.parametrize(
    ("schedule", "states", "condition"),
    [
        ("advance running; admit waiting while (batch.tokens > 0);", "", "batch.tokens > 0"),
        ("advance running; branch (running.count > 0) { admit waiting; }", "", "running.count > 0"),
        ("advance running; admit waiting while (running.decoding >= 1);", "", "running.decoding >= 1"),
        ("advance running; branch (open == 1) { admit waiting; } set open = open;", "state open = 0;", "open == 1"),
    ],
)
def test_a_condition_that_no_empty_engine_meets_is_warned_of_and_nobody_is_admitted(
    schedule: str, states: str, condition: str
) -> None:
    text = engine(schedule, states=states)
    assert warned(text) == [("E1504", condition)]
    assert idle_with_work(text)


def test_a_schedule_without_any_admission_is_warned_of_where_somebody_waits() -> None:
    text = engine("advance running;")
    assert warned(text) == [("E1504", "schedule")]
    assert idle_with_work(text)


@pytest.mark.parametrize(
    ("schedule", "states"),
    [
        ("advance running; branch (just == 0 || running.count == 0) { admit waiting; } set just = waiting.admitted > 0;", JUST),
        ("advance running; admit waiting while (running.preempted == 0);", ""),
        ("advance running; admit waiting while (waiting.admitted < 2);", ""),
        ("advance running; admit waiting while (batch.tokens < 8);", ""),
        # Whatever the register is, the second statement admits.
        ("branch (just == 0) { admit waiting; } advance running; admit waiting; set just = waiting.admitted > 0;", JUST),
        # What is not known of an empty engine may be so that it admits: the pool, the queue.
        ("advance running; admit waiting while (free(reqs) > 0);", ""),
        ("advance running; branch (waiting.count > 1 || just == 0) { admit waiting; } set just = waiting.admitted > 0;", JUST),
        # The register holds what is not known.
        ("advance running; admit waiting while (k < 5); set k = running.count;", "state k = 0;"),
        # Set within the attempt, before it is asked.
        ("advance running; set just = 0; branch (just == 0) { admit waiting; } set just = waiting.admitted > 0;", JUST),
        # Never closed: the branch that would close it is never taken.
        ("advance running; branch (just == 0) { admit waiting; } branch (just == 1) { set just = 1; }", JUST),
    ],
)
def test_an_engine_that_can_admit_when_empty_is_not_warned_of(schedule: str, states: str) -> None:
    assert warned(engine(schedule, states=states)) == []


def test_an_engine_that_others_fill_may_wait_for_them() -> None:
    held = "hold reqs (cost(reqs, 1)) { run llm prefill (cost(llm, 8)); }"
    others = f"branch (serial > 0) {{ {held} }} else {{ run llm prefill (cost(llm, 80)); }}"
    assert warned(engine("advance running; admit waiting while (batch.tokens > 0);", server=others)) == []


def test_an_engine_for_which_nobody_waits_has_nobody_to_admit() -> None:
    # `on gpu`: the pool admits as soon as there is room, past the schedule.
    assert warned(engine(LATCH, states=JUST, on="gpu")) == []


def test_a_register_of_more_states_than_are_looked_at_is_not_warned_of() -> None:
    counted = "advance running; branch (k < 1000) { admit waiting; } set k = k + 1;"
    assert warned(engine(counted, states="state k = 0;")) == []
    # Three registers of sixteen values each: 4096 states after one attempt.
    sixteen = (
        " + ".join(f"{2**n} * (running.count > {n})" for n in range(3)) + " + 8 * (running.decoding > 0) * (running.count < 4)"
    )
    several = "advance running; branch (a < 99) { admit waiting; } " + " ".join(f"set {r} = {sixteen};" for r in "abc")
    assert warned(engine(several, states="state a = 0; state b = 0; state c = 0;")) == []

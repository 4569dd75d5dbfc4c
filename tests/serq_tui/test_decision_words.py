"""Every kind of decision in words."""

from __future__ import annotations

from typing import get_args

import pytest

from engine.decisions import (
    AdmissionClosed,
    Admitted,
    Arrived,
    Attempted,
    Blocked,
    ClaimRead,
    Decision,
    Displaced,
    Ended,
    Evicted,
    Grew,
    Guarded,
    LeaseReturned,
    LeaseTaken,
    LeftOut,
    Preempted,
    Queued,
    RegisterSet,
    Rejected,
    Released,
    Responded,
    Served,
    Stalled,
    TurnOpened,
)
from serq_tui.decision_words import Names, decision, role
from tests.serq_tui import moments as m

NAMES = Names.of(m.snapshot(), ("just",), ("fast",))
R3, R5 = m.who(3), m.who(5)

SAID: list[tuple[Decision, str]] = [
    (Served(1, m.STAGE, m.ADVANCE, R3, "decode", 1, 9, None), "r3 gets 1 decode token"),
    (Served(1, m.STAGE, m.ADMIT, R3, "prefill", 24, 24, None), "r3 gets 24 prefill tokens"),
    (Served(1, m.STAGE, m.ADMIT, R3, "prefill", 24, 60, "chunk"), "r3 gets 24 of 60 prefill tokens: the most one request gets"),
    (LeftOut(1, m.STAGE, m.ADVANCE, R3, "decode", "budget"), "r3 gets no decode token: the budget is spent"),
    (Displaced(1, m.STAGE, m.ADVANCE, R3, R5), "r3 gives way to r5, whose prefill runs alone"),
    (Admitted(1, m.STAGE, m.ADMIT, m.REQS, R5, 0.5, 16, (m.REQS, m.KV)), "r5 admitted, 16 cached after waiting 500 ms"),
    (Blocked(1, m.STAGE, m.ADMIT, m.REQS, R5, m.KV, 32, 16), "not admitted: r5 needs 32 of kv, room 16"),
    (AdmissionClosed(1, m.STAGE, m.ADMIT, "budget", 0), "admission closes: the budget is spent"),
    (AdmissionClosed(1, m.STAGE, m.ADMIT, "preempted", 8), "admission closes: somebody was preempted, 8 tokens left"),
    (Queued(1, m.REQS, R5, False, ((m.REQS, 1), (m.KV, 48))), "r5 waits in reqs, asking for reqs 1, kv 48"),
    (Queued(1, m.REQS, R5, True, ()), "r5 waits at the head of reqs"),
    (Rejected(1, m.KV, R5, 999, 160), "r5 rejected: it asks 999 of kv, which holds 160"),
    (Grew(1, m.KV, R3, 16, 48), "r3 grows by 16 of kv to 48"),
    (Stalled(1, m.KV, R3, 16, 0), "r3 waits to grow by 16 of kv: 0 free, nobody to preempt"),
    (Preempted(1, m.STAGE, m.ADVANCE, m.KV, R5, R3, 16, 4, 31, ()), "preemption of r5: r3 asked for 16 of kv, 4 free"),
    (LeaseTaken(1, m.KV, R5, R3, 16, 4, 32, True, ()), "lease of 32 of kv that r5 has is set aside: r3 asked for 16, 4 free"),
    (
        LeaseTaken(1, m.KV, R5, None, 0, -4, 32, False, ()),
        "lease of 32 of kv that r5 has is ended: leases grew 4 past the capacity",
    ),
    (LeaseReturned(1, m.KV, R5, 32), "r5 has its lease of 32 of kv again"),
    (Released(1, m.KV, R5, 48, 32), "r5 gives back 48 of kv, 32 of them stay cached"),
    (Released(1, m.REQS, R5, 1, 0), "r5 gives back 1 of reqs"),
    (Evicted(1, m.KV, 5, 16, 16), "16 of r5 evicted from kv, 16 left of it"),
    (Attempted(1, m.STAGE, "iteration", m.SET, (), 214, 0), "vllm starts iteration 214"),
    (Attempted(1, m.STAGE, "idle", m.SET, (), 214, 0), "vllm is idle with work: no token scheduled"),
    (Guarded(1, m.STAGE, m.GUARD, 1.0), "the guard is read: yes"),
    (RegisterSet(1, m.STAGE, m.SET, 0, 0, 1, False), "just is set to 1, it was 0"),
    (RegisterSet(1, m.STAGE, m.SET, 0, 1, 1, False), "just stays 1"),
    (RegisterSet(1, m.STAGE, m.SET, 0, 1, 0, True), "just is put back to 0: the attempt came to nothing"),
    (ClaimRead(1, m.STAGE, 0, False), "the claim fast fails"),
    (Arrived(1, R5), "r5 arrives"),
    (TurnOpened(1, R5, 0), "a turn of r5 begins"),
    (Responded(2.5, R5, 1, 1.0, 1.5), "turn 1 of r5 has its response after 1.50 s"),
    (Ended(1, R5), "r5 ends"),
]


@pytest.mark.parametrize(("record", "said"), SAID, ids=lambda value: value if isinstance(value, str) else "")
def test_a_decision_is_one_sentence(record: Decision, said: str) -> None:
    assert decision(record, NAMES) == said


def test_no_kind_of_decision_goes_without_words() -> None:
    assert {type(record) for record, _ in SAID} == set(get_args(Decision))


def test_a_decisions_role_is_that_of_whom_it_is_about() -> None:
    assert role(Served(1, m.STAGE, None, R3, "decode", 1, 9, None)) == "decode"
    assert role(Served(1, m.STAGE, None, R3, "prefill", 1, 9, None)) == "prefill"
    assert role(ClaimRead(1, m.STAGE, 0, False)) == "failure"
    assert role(ClaimRead(1, m.STAGE, 0, True)) == "plain"


def test_what_has_no_name_is_still_said() -> None:
    nameless = Names({}, {}, (), ())
    assert decision(Grew(1, 7, R3, 16, 48), nameless) == "r3 grows by 16 of a pool to 48"

"""Each case of a known trouble is answered by at most five keys: in the view state, and by the decisions it was read from.

What is expected follows from the programs' figures; how, is said beside each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.decisions import Admitted, Blocked, Decision, Evicted, Guarded, LeftOut, Preempted, Queued, Served
from engine.replay import steps
from engine.snapshot import Who
from engine.would_admit import Change
from grammar import ir
from serq_tui.answers import Answer, AutopsyAnswer, GridAnswer, StoryAnswer, WhyAnswer
from tests.serq_tui.piloting import EXAMPLES, Driver, opened
from tests.serq_tui.test_answers import answer

CASES = EXAMPLES / "cases"
DOCS = Path(__file__).parents[2] / "docs" / "cases.md"
PICTURES = Path(__file__).parents[2] / "screenshots"

MOST_KEYS = 5


@dataclass(frozen=True)
class Trouble:
    """A case: its program, the keys, what the answer says, and that its decisions say so too."""

    name: str
    keys: str
    says: Callable[[Answer], None]
    decided: Callable[[list[Decision]], bool]


def autopsied(found: Answer) -> AutopsyAnswer:
    assert isinstance(found, AutopsyAnswer)
    return found


def explained(found: Answer) -> WhyAnswer:
    assert isinstance(found, WhyAnswer)
    return found


def told(found: Answer) -> StoryAnswer:
    assert isinstance(found, StoryAnswer)
    return found


def long_prefill(found: Answer) -> None:
    # 900 tokens of r3 and one each of r0, r1 and r2, at a millisecond a token
    gap = told(found).story.longest[0]
    assert gap.seconds == pytest.approx(0.903)
    assert [(portion.who, portion.tokens) for portion in gap.batch if portion.mode == "prefill"] == [(Who(3), 900)]


def never_finishes(found: Answer) -> None:
    # 8 blocks of 16: the 129th token asks for a ninth
    autopsy = autopsied(found).autopsy
    assert autopsy.own
    assert (autopsy.record.position, autopsy.record.need, autopsy.record.free) == (128, 16, 0)
    assert [who for who, _ in autopsy.record.candidates] == [Who(0)]


def thrash(found: Answer) -> None:
    # Two chunks of 32 each of three prompts fill the memory of 192: the first third chunk, r0's, takes r2's two.
    autopsy = autopsied(found).autopsy
    assert (autopsy.record.grower, autopsy.record.who, autopsy.record.position, autopsy.kept) == (Who(0), Who(2), 64, 0)
    assert autopsy.cost is not None
    assert autopsy.cost.recomputed == 64


def seats(found: Answer) -> None:
    reason = explained(found).why.reason
    assert reason is not None
    assert reason.room is not None
    assert (explained(found).why.question.who, explained(found).why.place) == (Who(2), 1)
    assert (reason.room.name, reason.room.need, reason.room.free) == ("reqs", 1, 0)
    assert set(explained(found).changes) == {
        Change("capacity", 1.0, 1.0, pool=reason.room.pool),
        Change("fewer", who=Who(0)),
        Change("fewer", who=Who(1)),
    }


def cold_starves(found: Answer) -> None:
    # r0 asks again at 0.1 s and at 0.2 s, both times after r1, which has waited since 0
    assert explained(found).why.question.who == Who(1)
    assert [(one.who, one.requeued) for one in explained(found).overtaken] == [(Who(0), False), (Who(0), False)]
    assert Change("turn") in explained(found).changes


def evicted_prefix(found: Answer) -> None:
    # r0 leaves 96 whole-block units of its 103; r1 grows to 183 in blocks of 16: 192 + 96 are 32 more than 256
    lookup = told(found).story.lookups[-1]
    assert (lookup.kept, lookup.found) == (96, 64)
    assert [(eviction.units, eviction.benefit, eviction.waiting) for eviction in lookup.evictions] == [(16, Who(1), True)] * 2


def prefill_first(found: Answer) -> None:
    starved = [stretch for stretch in told(found).story.stretches if stretch.phase == "unserved"]
    assert {stretch.blame for stretch in starved} == {"budget"}
    # 7 prompts of 200 tokens are 22 budgets of 64, in most of which nothing is left
    assert sum(stretch.seconds for stretch in starved) > 1


def latched_gate(found: Answer) -> None:
    reason = explained(found).why.reason
    assert reason is not None
    assert (reason.kind, reason.value, reason.path) == ("branch", 0, (1,))
    # set to 4 by the preemption, and not yet counted down when r0, the last that ran, had ended
    assert {read.expr: read.value for read in reason.reads}[ir.Reg(0)] > 0
    assert explained(found).changes == (Change("guard", 1.0, path=(1,)),)


def giant_prompt(found: Answer) -> None:
    reason = explained(found).why.reason
    assert reason is not None
    assert (reason.kind, reason.value) == ("budget", 0)
    # After two iterations of 64 r0 has 672 of its 800 tokens left: 672 + 1 are 609 more than 64.
    assert Change("budget", 609.0, 1.0) in explained(found).changes


def bold_admission(found: Answer) -> None:
    assert isinstance(found, GridAnswer)
    assert sum(column.preempted for column in found.columns) == 4
    lost = [who for column in found.columns for who, cell in column.cells.items() if cell.mode == "preempted"]
    # lifo: the newest first
    assert lost == [Who(7), Who(6), Who(5), Who(4)]


def reserve_everything(found: Answer) -> None:
    reason = explained(found).why.reason
    assert reason is not None
    room = reason.room
    assert room is not None
    # Four hold 3 blocks each of the 10 they reserved.
    assert (room.need, room.used, room.reserved, room.free) == (160, 192, 448, 0)


def retry_hits(found: Answer) -> None:
    autopsy = autopsied(found).autopsy
    assert autopsy.kept == autopsy.record.position == 64
    assert autopsy.cost is not None
    # r0's growth by a block evicts one of its four
    assert autopsy.cost.found == 48


def has(kind: type, **fields: object) -> Callable[[list[Decision]], bool]:
    """Whether some decision of a kind has these fields."""

    def check(records: list[Decision]) -> bool:
        return any(
            isinstance(record, kind) and all(getattr(record, name) == value for name, value in fields.items()) for record in records
        )

    return check


TROUBLES = (
    Trouble("long_prefill", "c b 2 enter enter", long_prefill, has(Served, who=Who(3), tokens=900.0)),
    Trouble("never_finishes", "c w", never_finishes, has(Preempted, who=Who(0), grower=Who(0))),
    Trouble("thrash", "c w", thrash, has(Preempted, who=Who(2), grower=Who(0), position=64.0)),
    Trouble("seats", "s s s w", seats, has(Blocked, who=Who(2), short_of=0, need=1.0, room=0.0)),
    Trouble("cold_starves", "s s s w", cold_starves, has(Admitted, who=Who(0), cached=64.0)),
    Trouble("evicted_prefix", "c b 2 enter enter", evicted_prefix, has(Evicted, owner=0, units=16.0)),
    Trouble("prefill_first", "c b 2 enter enter", prefill_first, has(LeftOut, who=Who(0), reason="budget")),
    Trouble("latched_gate", "p c w", latched_gate, has(Guarded, path=(1,), value=0.0)),
    Trouble("giant_prompt", "s s s w", giant_prompt, has(Served, who=Who(0), tokens=64.0, cut="budget")),
    Trouble("bold_admission", "c c c c v", bold_admission, has(Preempted, who=Who(4))),
    Trouble("reserve_everything", "s s s w", reserve_everything, has(Blocked, who=Who(4), need=160.0, room=0.0)),
    Trouble("retry_hits", "c w", retry_hits, has(Queued, who=Who(1), at_head=True)),
)


def records_so_far(driver: Driver) -> list[Decision]:
    past = driver.screen.controller.debuggee.timeline.past
    records: list[Decision] = []
    for _ in steps(past.now.anew(), past.now.position, records):
        pass
    return records


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda trouble: trouble.name)
async def test_a_trouble_is_found_by_at_most_five_keys(trouble: Trouble) -> None:
    keys = trouble.keys.split()
    assert len(keys) <= MOST_KEYS
    async with opened(CASES / f"{trouble.name}.sq") as driver:
        await driver.press(*keys)
        trouble.says(answer(driver))
        assert trouble.decided(records_so_far(driver))


def test_every_case_is_tested_and_explained_with_its_keys_and_its_picture() -> None:
    names = {path.stem for path in CASES.glob("*.sq")}
    assert names == {trouble.name for trouble in TROUBLES}
    sections = re.split(r"^## ", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    for trouble in TROUBLES:
        section = next(part for part in sections if f"cases/{trouble.name}.sq" in part)
        assert " ".join(f"`{key}`" for key in trouble.keys.split()) in section
        picture = f"case-{trouble.name.replace('_', '-')}.svg"
        assert f"../screenshots/{picture}" in section
        assert (PICTURES / picture).is_file()

"""What a view says of a moment, on snapshots made by hand."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from engine.decisions import Admitted, Attempted, Blocked, Decision, Guarded, Preempted, RegisterSet, Rejected
from engine.snapshot import FailureView, Who
from serq_tui import bar_rows, rows, text_rows
from serq_tui.pieces import Content, Line
from serq_tui.source_state import statements_on
from serq_tui.view import build, engine_at_hand
from serq_tui.view_state import DebuggerState, Lens, Moment
from serq_tui.words import headline
from tests.serq_tui import moments as m

WIDE = 120


def plain(line: Line) -> str:
    return "".join(part.text for part in line)


def lines(content: Content) -> list[str]:
    return [plain(entry.line) for entry in content.entries]


def seen(moment: Moment, lens: Lens | None = None) -> DebuggerState:
    return build(moment, lens or Lens(), m.program_text())


def preemption() -> Moment:
    """r3 grows by a block, r5 loses its hold for it and stands at the head of the queue again."""
    before = m.snapshot(
        99,
        residents=(
            m.running(2, done=17, left=13, kv=64),
            m.running(3, done=8, left=22, kv=32),
            m.running(5, done=1, left=10, kv=64),
        ),
        queue=(m.waiting(8, since=3.1, kv=60),),
        formed=m.batch(((2, "decode", 1), (3, "decode", 1), (5, "decode", 1))),
        iterations=213,
    )
    now = m.snapshot(
        100,
        residents=(m.running(2, done=18, left=12, kv=64), m.running(3, done=9, left=21, kv=48)),
        queue=(m.waiting(5, since=3.482, kv=64, preempted=True), m.waiting(8, since=3.1, kv=60)),
        formed=m.batch(((2, "decode", 1), (3, "decode", 1)), cost=0.0209),
        just=1,
    )
    records: tuple[Decision, ...] = (
        Preempted(3.482, m.STAGE, m.ADVANCE, m.KV, m.who(5), m.who(3), 16, 0, 31, ()),
        Guarded(3.482, m.STAGE, m.GUARD, 0.0),
        RegisterSet(3.482, m.STAGE, m.SET, 0, 0.0, 1.0, undone=False),
        Attempted(3.482, m.STAGE, "iteration", m.SET, (m.ADVANCE, m.GUARD, m.SET), 214, 1),
    )
    return Moment(now, before, records)


def test_the_same_moment_through_the_same_lens_is_the_same_view() -> None:
    assert seen(preemption()) == seen(preemption())


def test_a_preempted_request_keeps_a_row_that_says_whose_growth_took_its_hold() -> None:
    (engine,) = seen(preemption()).running.engines
    gone = engine.residents[-1]
    assert (gone.who, gone.fate, gone.now) == (m.who(5), "preempted", None)
    row = lines(rows.running(seen(preemption()).running, WIDE))[-1]
    assert "x r5" in row
    assert "preempted at 31 by r3's growth" in row


def test_what_changed_is_marked_by_a_sign_as_well_as_by_a_colour() -> None:
    content = rows.running(seen(preemption()).running, WIDE)
    grown = content.entries[1].line
    # r3 held 32 units and holds 48; its decode went from 8 tokens to 9
    assert "← 32" in plain(grown)
    assert "+1" in plain(grown)
    assert {part.role for part in grown if part.text.strip() in {"← 32", "+1"}} == {"changed"}


def test_nothing_is_marked_where_there_is_no_moment_before() -> None:
    state = seen(replace(preemption(), before=None, records=()))
    assert "←" not in "".join(lines(rows.running(state.running, WIDE)))
    assert all(resident.fate == "" for resident in state.running.engines[0].residents)


def test_a_request_that_left_without_a_preemption_is_done() -> None:
    moment = preemption()
    state = seen(replace(moment, records=moment.records[1:]))
    assert state.running.engines[0].residents[-1].fate == "left"
    assert "− r5" in lines(rows.running(state.running, WIDE))[-1]


def test_a_newcomer_says_what_it_found_of_its_prefix() -> None:
    now = m.snapshot(residents=(m.running(7, "prefill", 0, 32, tokens=24),), formed=m.batch(((7, "prefill", 24),)))
    came = Admitted(3.482, m.STAGE, m.ADMIT, m.REQS, m.who(7), 0.5, 16, (m.REQS, m.KV))
    state = seen(Moment(now, m.snapshot(99), (came,)))
    row = lines(rows.running(state.running, WIDE))[0]
    assert row.startswith(" + r7") or row.startswith(" +  r7") or " + r7" in row
    assert "16 cached" in row


def test_what_a_request_gets_is_what_the_batch_says() -> None:
    state = seen(preemption())
    assert [resident.gets for resident in state.running.engines[0].residents] == [1, 1, 0]


def test_the_head_of_a_queue_says_where_it_finds_no_room() -> None:
    row = lines(rows.waiting(seen(preemption()).waiting, WIDE))[0]
    assert "r5" in row
    assert "kv 64 ✗ 48 free" in row


def test_a_waiting_request_that_came_is_marked_and_the_first_one_is_the_head() -> None:
    first, second = lines(rows.waiting(seen(preemption()).waiting, WIDE))
    assert first.startswith(" +")
    assert second.startswith("  ")
    waited = seen(Moment(m.snapshot(queue=(m.waiting(8),)), m.snapshot(99, queue=(m.waiting(8),)), ()))
    assert lines(rows.waiting(waited.waiting, WIDE))[0].startswith(" ▸")


def test_only_the_rows_looked_at_are_made_of_a_long_queue() -> None:
    queue = tuple(m.waiting(serial) for serial in range(10_000))
    content = rows.waiting(seen(Moment(m.snapshot(queue=queue), None, ())).waiting, WIDE)
    assert len(content.entries) == 10_000
    assert "r9999" in plain(content.entries[9_999].line)
    assert content.place_of(Who(5_000)) == 5_000


def test_several_queues_have_a_heading_each_and_an_empty_one_says_so() -> None:
    now = m.snapshot(queue=(m.waiting(8),))
    other = replace(now.queues[0], pool=m.KV, name="kv", waiting=())
    engine = replace(now.engines[0], queues=(m.REQS, m.KV))
    moment = Moment(replace(now, queues=(other, now.queues[0]), engines=(engine,)), None, ())
    said = lines(rows.waiting(seen(moment).waiting, WIDE))
    # reqs before kv: the order in which the engine tries them
    assert [line.split()[0] for line in said] == ["reqs", "▸", "kv"]
    assert "empty, admitted by vllm" in said[2]


def test_a_batch_shows_its_budget_its_portions_and_what_it_costs() -> None:
    state = seen(preemption()).batch
    assert bar_rows.batch_title(state) == "batch 2 of 64 tokens"
    text = "\n".join(lines(bar_rows.batch(state, 60)))
    for words in ("r2 1d", "r3 1d", "lasts 20.9 ms ← 21.4 ms", "until 3.5029 s", "d 96", "P 48"):
        assert words in text


def test_a_batch_without_a_cap_has_no_bar() -> None:
    formed = m.batch(((2, "decode", 1),), budget=float("inf"))
    state = seen(Moment(m.snapshot(formed=formed), None, ())).batch
    assert bar_rows.batch_title(state) == "batch 1 token, no cap"
    assert "░" not in "".join(lines(bar_rows.batch(state, 60)))


def test_an_engine_that_runs_nothing_says_whether_work_waits() -> None:
    assert "idle: it waits" in lines(bar_rows.batch(seen(Moment(m.snapshot(), None, ())).batch, 60))[0]
    assert "idle with work" in lines(bar_rows.batch(seen(Moment(m.snapshot(idle=True), None, ())).batch, 60))[0]


def test_a_register_shows_what_it_was() -> None:
    (line,) = lines(bar_rows.registers(seen(preemption()).registers, 40))
    assert line.split() == ["just", "1", "←", "0"]


def test_a_register_whose_set_was_undone_shows_what_it_was_set_to() -> None:
    undone = RegisterSet(3.482, m.STAGE, None, 0, 2.0, 3.0, undone=True)
    state = seen(Moment(m.snapshot(just=3), m.snapshot(99, just=3), (undone,)))
    (line,) = lines(bar_rows.registers(state.registers, 60))
    assert line.split() == ["just", "3", "set", "to", "2,", "undone"]


def test_a_pool_shows_used_of_capacity_and_what_changed() -> None:
    now = m.snapshot(pools=(m.kv_pool(((2, 64), (3, 48)), ((5, 32),), preemptions=1), m.seats(2)))
    before = m.snapshot(99, pools=(m.kv_pool(((2, 64), (3, 32), (5, 64))), m.seats(3)))
    kv, held, cached, blocks, reqs = lines(bar_rows.pools(seen(Moment(now, before, ())).pools, WIDE, roomy=True))
    # 64 + 48 of 160 are used now, all 160 were; 32 are cached, and 48 free with the cached ones
    for words in ("112/160", "← 160", "32", "48 ← 0", "+1 1"):
        assert words in kv
    assert "r2 64 · r3 48" in held
    assert "r5 32" in cached
    # ten blocks of 16: four of r2, three of r3, two cached, one free
    assert blocks.split() == ["blocks", "2222333▒▒·"]
    assert "2/8" in reqs
    assert len(lines(bar_rows.pools(seen(Moment(now, before, ())).pools, WIDE, roomy=False))) == 2


def test_the_header_says_where_and_why() -> None:
    first, second = (plain(line) for line in text_rows.header(seen(preemption()).header, WIDE, None))
    for words in ("preemption.sq", "vllm iteration 214", "t 3.482 s", "step 20.9 ms", "seed 1", "horizon ∞", "@100.1"):
        assert words in first
    assert "■ preemption of r5: r3 asked for 16 of kv, 0 free" in second
    assert "stops on preemption, idle" in second


def test_a_run_under_way_takes_the_place_of_the_reason() -> None:
    second = plain(text_rows.header(seen(preemption()).header, WIDE, "running on   esc stops")[1])
    assert "running on   esc stops" in second
    assert "preemption of" not in second


@pytest.mark.parametrize("width", [30, 60, 80, 120, 200])
def test_a_header_has_the_width_of_its_screen(width: int) -> None:
    for line in text_rows.header(seen(preemption()).header, width, None):
        assert len(plain(line)) == width


# --------------------------------------------------------------------------- source


def test_the_statement_executed_last_is_lit_and_the_others_executed_are_marked() -> None:
    state = seen(preemption()).source
    # the snapshot's attempt executed `advance running` last by its own account
    assert state.lit == (9, 9)
    assert state.lit_now
    assert state.executed == {9, 10, 14}


def test_a_branch_is_lit_by_its_head_alone_and_a_long_statement_whole() -> None:
    assert seen(Moment(m.snapshot(lit=m.GUARD), None, ())).source.lit == (10, 10)
    assert seen(Moment(m.snapshot(lit=m.ADMIT), None, ())).source.lit == (11, 12)


def test_what_is_lit_is_dim_where_another_moment_executed_it() -> None:
    now = m.snapshot(100, 1)
    assert not seen(Moment(replace(now, position=replace(now.position, events=101), stage=None), None, ())).source.lit_now


def test_a_statement_says_what_it_just_decided() -> None:
    records: tuple[Decision, ...] = (
        *preemption().records,
        Blocked(3.482, m.STAGE, m.ADMIT, m.REQS, m.who(8), m.KV, 60, 48),
    )
    notes = {line: plain(note) for line, note in seen(replace(preemption(), records=records)).source.notes.items()}
    assert notes == {9: "x r5 preempted", 10: "⟹ no", 11: "r8 needs 60 of kv, room 48", 14: "⟹ 1"}


def test_of_a_guard_read_before_each_admission_the_last_reading_stays() -> None:
    read = tuple(Guarded(3.482, m.STAGE, m.GUARD, value) for value in (1.0, 1.0, 0.0))
    assert plain(seen(replace(preemption(), records=read)).source.notes[10]) == "⟹ no"


def test_a_breakpoint_on_a_line_means_the_smallest_statement_there() -> None:
    assert statements_on(m.PLACES, 10) == ((m.STAGE, m.GUARD),)
    assert statements_on(m.PLACES, 12) == ((m.STAGE, m.ADMIT),)
    assert statements_on(m.PLACES, 3) == ()


def test_the_line_of_a_failure_is_blamed_wherever_the_engine_was() -> None:
    failure = FailureView("the guard is 2: it must be 0 or 1", 3.482, schedule=(m.STAGE, m.GUARD))
    state = seen(Moment(replace(m.snapshot(), failure=failure), None, ())).source
    assert state.failure == (10, 13)
    assert state.home == 10
    only_execute = FailureView("an iteration lasts nothing", 3.482, stage=m.STAGE)
    assert seen(Moment(replace(m.snapshot(), failure=only_execute), None, ())).source.failure == (16, 16)


def test_a_note_never_takes_the_place_of_its_statement() -> None:
    state = seen(preemption()).source
    line = plain(text_rows.source(state, 50, 0).entries[8].line)
    assert line.startswith("· 9 ▶ ")
    assert "advance running;" in line
    assert line.endswith("x r5 preempted")


# --------------------------------------------------------------------------- words and lens


def test_the_gravest_thing_decided_is_the_headline() -> None:
    moment = preemption()
    assert headline(moment.now, moment.records).kind == "preemption"
    failed = replace(moment.now, failure=FailureView("it broke", 3.482))
    assert headline(failed, moment.records).text == "the program failed: it broke"
    refused = Rejected(3.482, m.KV, m.who(9), 999, 160)
    assert headline(moment.now, (refused,)).text == "r9 rejected: it asks 999 of kv, which holds 160"
    assert headline(m.start(), ()).kind == "start"


def test_several_preemptions_are_one_sentence() -> None:
    moment = preemption()
    more = tuple(replace(moment.records[0], who=m.who(serial)) for serial in (6, 7, 8, 9, 10))
    assert headline(moment.now, (moment.records[0], *more)).text.endswith("; also of r6, r7, r8 and 2 more")


def test_a_request_that_preempts_itself_is_named_once() -> None:
    own = Preempted(3.482, m.STAGE, m.ADVANCE, m.KV, m.who(5), m.who(5), 16, 0, 31, ())
    assert headline(m.snapshot(), (own,)).text == "preemption of r5: it asked for 16 of kv, 0 free"


def test_the_engine_at_hand_is_the_chosen_one_else_whose_attempt_it_is_else_the_last_to_attempt() -> None:
    now = m.snapshot()
    first = now.engines[0]
    assert first.attempt is not None
    second = replace(first, stage=1, name="other", attempt=replace(first.attempt, position=replace(now.position, events=50)))
    both = replace(now, engines=(first, second))
    assert engine_at_hand(both, 1) is second
    assert engine_at_hand(both, None) is first
    assert engine_at_hand(replace(both, stage=None), None) is first
    assert engine_at_hand(replace(both, engines=()), None) is None


def test_a_detail_gives_a_request_s_holds_and_attributes_by_name() -> None:
    state = seen(preemption(), Lens(opened=m.who(3))).detail
    assert state is not None
    assert state.where == "runs on vllm"
    assert state.holds == (("kv", 48, 48, 0, False),)
    assert state.attributes == (("serial", 3.0, 3.0), ("n", 60.0, 60.0))
    waits = seen(preemption(), Lens(opened=m.who(8))).detail
    assert waits is not None
    assert waits.where == "waits in reqs, 2 of 2"
    assert waits.needs[1] == ("kv", 60, 48)
    gone = seen(preemption(), Lens(opened=m.who(99))).detail
    assert gone is not None
    assert gone.where == "neither runs nor waits at this moment"


@pytest.mark.parametrize("module", ["controller", "view", "view_state", "rows", "bar_rows", "text_rows", "format", "moves", "goto"])
def test_what_decides_what_a_screen_says_needs_no_textual(module: str) -> None:
    code = f"import sys, serq_tui.{module}; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

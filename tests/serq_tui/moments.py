"""A small builder of snapshots, for tests of what a view says; knows no engine.

The figures are invented but consistent: an engine `vllm` under a small pool `kv` of 160 units in
blocks of 16, with seats in `reqs`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from engine.snapshot import (
    AttemptView,
    BatchView,
    EngineView,
    EntryView,
    HeldView,
    HolderView,
    NeedView,
    PoolView,
    Portion,
    Position,
    QueueView,
    RegisterView,
    RequestView,
    Snapshot,
    WaitingView,
    Who,
)
from grammar.ir import Place, SourceMap
from serq_tui.source_state import ProgramText

KV, REQS = 0, 1
STAGE = 0
KV_CAP = 160.0
BLOCK = 16.0

TEXT = """\
// A vLLM-like engine under a small KV.
fn main() {
  device gpu { kv cap 160; }
  engine vllm on gpu {
    reqs cap 8;
    tokens cap 64;
    state just = 0;
    schedule {
      advance running;
      branch (just == 0) {
        admit waiting while (running.preempted == 0)
          taking reqs (1), kv (n);
      }
      set just = waiting.admitted > 0;
    }
    execute (0.02);
  }
}
"""

ADVANCE, GUARD, ADMIT, SET = (0,), (1,), (1, 0, 0), (2,)

PLACES = SourceMap(
    schedule={
        (STAGE, ADVANCE): Place(9, 7, 9, 23),
        (STAGE, GUARD): Place(10, 7, 13, 8),
        (STAGE, ADMIT): Place(11, 9, 12, 35),
        (STAGE, SET): Place(14, 7, 14, 39),
    },
    execute={STAGE: Place(16, 5, 16, 20)},
)


def program_text() -> ProgramText:
    """The text the moments belong to."""
    return ProgramText.of("preemption.sq", TEXT, PLACES, ("just",))


def who(serial: int) -> Who:
    """A request."""
    return Who(serial)


def running(serial: int, mode: str = "decode", done: float = 1, left: float = 9, tokens: float = 1, kv: float = 16) -> RequestView:
    """A running request that holds ``kv`` units."""
    held = HeldView(KV, kv, done, done, kv)
    assert mode in {"prefill", "decode"}
    return RequestView(
        who(serial),
        "prefill" if mode == "prefill" else "decode",
        done,
        left,
        serial,
        kv,
        done,
        tokens,
        False,
        1,
        (held,),
        (float(serial), 60.0),
    )


def waiting(serial: int, since: float = 0.0, kv: float = 32, preempted: bool = False) -> WaitingView:
    """A waiting request that needs a seat and some KV."""
    needs = (NeedView(REQS, 1, None, 1), NeedView(KV, kv, None, kv))
    return WaitingView(who(serial), since, preempted, preempted, (), needs, 1, (float(serial), 60.0))


def batch(
    portions: tuple[tuple[int, str, float], ...], cost: float = 0.0214, started: float = 3.482, budget: float = 64
) -> BatchView:
    """A batch of (serial, mode, tokens)."""
    made = tuple(Portion(who(serial), "prefill" if mode == "prefill" else "decode", tokens) for serial, mode, tokens in portions)
    return BatchView(started, cost, sum(portion.tokens for portion in made), budget, math.inf, 96, 48, made)


def kv_pool(holders: tuple[tuple[int, float], ...], cached: tuple[tuple[int, float], ...] = (), preemptions: int = 0) -> PoolView:
    """The KV pool with (serial, units) held and cached."""
    used = sum(units for _, units in holders)
    return PoolView(
        KV,
        "kv",
        KV_CAP,
        BLOCK,
        used,
        0,
        sum(units for _, units in cached),
        KV_CAP - used,
        KV_CAP - used,
        tuple(HolderView(who(serial), units, units, 0, False) for serial, units in holders),
        tuple(EntryView(serial, units, 1.0, order, False) for order, (serial, units) in enumerate(cached)),
        (),
        0,
        len(holders) + preemptions,
        preemptions,
        0,
        0,
    )


def seats(count: int) -> PoolView:
    """The seats, ``count`` of 8 taken."""
    holders = tuple(HolderView(who(serial), 1, 1, 0, False) for serial in range(count))
    return PoolView(REQS, "reqs", 8, None, count, 0, 0, 8 - count, 8 - count, holders, (), (), 0, count, 0, 0, 0)


def snapshot(
    events: int = 100,
    attempts: int = 1,
    *,
    clock: float = 3.482,
    iterations: int = 214,
    residents: tuple[RequestView, ...] = (),
    queue: tuple[WaitingView, ...] = (),
    formed: BatchView | None = None,
    pools: tuple[PoolView, ...] | None = None,
    just: float = 0.0,
    lit: tuple[int, ...] | None = ADVANCE,
    idle: bool = False,
) -> Snapshot:
    """A moment just after an attempt of the engine."""
    position = Position(events, attempts)
    engine = EngineView(
        STAGE,
        "vllm",
        iterations,
        residents,
        formed,
        idle,
        (RegisterView("just", just),),
        KV,
        (REQS,),
        AttemptView(position, clock, formed is not None, lit),
    )
    if pools is None:
        pools = (kv_pool(tuple((view.who.serial, view.kv) for view in residents)), seats(len(residents)))
    return Snapshot(
        position=position,
        clock=clock,
        seed=1,
        horizon=math.inf,
        stage=STAGE,
        arrived=len(residents) + len(queue) + 2,
        live=len(residents) + len(queue),
        ended=2,
        finished=False,
        failure=None,
        engines=(engine,),
        queues=(QueueView(REQS, "reqs", STAGE, queue),),
        pools=pools,
        stages=(),
        attribute_names=("serial", "n"),
    )


def start() -> Snapshot:
    """Before anything happened."""
    bare = snapshot(0, 0, clock=0.0, iterations=0, lit=None)
    return replace(bare, stage=None, engines=(replace(bare.engines[0], attempt=None),), live=0, ended=0, arrived=0)

"""Lines of two runs side by side, what differs marked; pure, knows no widget."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Literal

from engine.decisions import Decision
from engine.snapshot import EngineView, PoolView, RequestView, Snapshot, WaitingView, Who
from engine.targets import AtPosition
from serq_tui.comparing import CompareAnswer, Side
from serq_tui.decision_words import decision
from serq_tui.format import amount, clock, duration, grouped, number
from serq_tui.pieces import Content, Entry, Line, Piece, Role, fit, joined, piece, said
from serq_tui.words import headline

APART, ALIKE = " ≠ ", " │ "
NOBODY = piece("–", "dim")

Pair = tuple[Line, Line]


def compare(answer: CompareAnswer, width: int) -> Content:
    """Two runs, section by section; a line whose sides say unlike things is marked."""
    kept, present = answer.kept, answer.present
    half = max((width - len(APART)) // 2, 1)
    entries = [Entry(_two((piece(f"kept: {kept.label}", "strong"), piece(f"now: {present.label}", "strong")), half, False))]
    entries += _parting(answer, width)
    for title, pairs in (
        ("moment", _moments(kept, present, answer.engine)),
        ("running", _requests(kept.now, present.now)),
        ("waiting", _waiting(kept.now, present.now)),
        ("batch", _batches(kept.now, present.now, answer.engine)),
        ("registers", _registers(kept.now, present.now)),
        ("pools", _pools(kept.now, present.now)),
    ):
        made = list(pairs)
        if made:
            entries.append(Entry(()))
            entries.append(Entry(piece(title, "dim")))
            entries += [Entry(_two((left, right), half, said(left) != said(right)), who) for left, right, who in made]
    return Content(entries)


def compare_title(answer: CompareAnswer) -> str:
    """How the two are aligned."""
    return f"two runs at the same {answer.by if answer.engine is not None or answer.by == 'time' else 'position'}"


def _two(sides: Pair, half: int, apart: bool) -> Line:
    middle = Piece(APART, "changed") if apart else Piece(ALIKE, "free")
    return (*fit(sides[0], half), middle, *fit(sides[1], half))


def _parting(answer: CompareAnswer, width: int) -> list[Entry]:
    found = answer.parting
    if found is None:
        return [Entry(piece("the two runs decide the same from their start to their end", "added"))]
    here = answer.present.now.position == found.other
    sign = "▶ " if here else "▸ "
    told = [decision(record, side.names) if record is not None else "it has ended" for record, side in _records(answer)]
    leads = "this is where they part" if here else f"they part at {found.other}: enter or d goes there"
    half = max((width - len(APART)) // 2, 1)
    role: Role = "changed"
    return [
        Entry((Piece(sign, role), Piece(leads, role)), AtPosition(found.other)),
        Entry(_two((piece(told[0], role), piece(told[1], role)), half, True), AtPosition(found.other)),
    ]


def _records(answer: CompareAnswer) -> Iterator[tuple[Decision | None, Side]]:
    assert answer.parting is not None
    yield answer.parting.record, answer.kept
    yield answer.parting.other_record, answer.present


Row = tuple[Line, Line, Who | None]


def _engine(now: Snapshot, stage: int | None) -> EngineView | None:
    return next((engine for engine in now.engines if engine.stage == stage), None)


def _moments(kept: Side, present: Side, stage: int | None) -> Iterator[Row]:
    def where(side: Side) -> Line:
        engine = _engine(side.now, stage)
        count = f"iteration {grouped(engine.iterations)}   " if engine is not None else ""
        return piece(f"{count}t {clock(side.now.clock)}   {side.now.position}")

    def counts(side: Side) -> Line:
        return piece(f"{grouped(side.now.arrived)} arrived, {grouped(side.now.ended)} ended, {grouped(side.now.live)} live")

    def why(side: Side) -> Line:
        inside = side.now.position.decisions and side.records
        return piece(decision(side.records[-1], side.names) if inside else headline(side.now, side.records).text)

    for line in (where, why, counts):
        yield line(kept), line(present), None


def _requests(kept: Snapshot, present: Snapshot) -> Iterator[Row]:
    one = {view.who: view for engine in kept.engines for view in engine.running}
    other = {view.who: view for engine in present.engines for view in engine.running}
    for who in sorted({**one, **other}, key=lambda who: (who.serial, -1 if who.leg is None else who.leg)):
        yield _request(one.get(who)), _request(other.get(who)), who


def _request(view: RequestView | None) -> Line:
    if view is None:
        return NOBODY
    role: Role = "prefill" if view.mode == "prefill" else "decode"
    of = f"{amount(view.done)}/{amount(view.done + view.left)}"
    letter = "P" if view.mode == "prefill" else "d"
    gets = (Piece(f"{amount(view.tokens):>5}", role),) if view.tokens else piece(f"{'·':>5}", "dim")
    return (
        Piece(f"{view.who!s:<7}", "strong"),
        Piece(f"{letter} ", role),
        Piece(f"{of:>12}"),
        Piece(f"{amount(view.kv):>7}", "used"),
        *gets,
    )


def _waiting(kept: Snapshot, present: Snapshot) -> Iterator[Row]:
    queues = {queue.pool: queue for queue in kept.queues}
    for queue in present.queues:
        old = queues.get(queue.pool)
        for one, other in zip_longest(old.waiting[:MOST] if old else (), queue.waiting[:MOST]):
            who = other.who if other is not None else one.who if one is not None else None
            yield _wait(one, kept.clock), _wait(other, present.clock), who
        rest = len(old.waiting) - MOST if old else 0, len(queue.waiting) - MOST
        if max(rest) > 0:
            yield piece(f"and {amount(max(rest[0], 0))} more", "dim"), piece(f"and {amount(max(rest[1], 0))} more", "dim"), None


MOST = 20
"""Waiting requests of a queue that are compared one by one: behind them two runs are alike in number only."""


def _wait(view: WaitingView | None, now: float) -> Line:
    if view is None:
        return NOBODY
    return (
        Piece(f"{view.who!s:<7}", "strong"),
        Piece("x " if view.preempted else "  ", "preempted"),
        Piece(f"{duration(now - view.since):>10}", "waiting"),
    )


def _batches(kept: Snapshot, present: Snapshot, stage: int | None) -> Iterator[Row]:
    def batch(now: Snapshot) -> Line:
        engine = _engine(now, stage)
        if engine is None or engine.batch is None:
            return piece("idle", "dim")
        made = engine.batch
        return piece(f"{amount(made.tokens)} of {amount(made.budget)} tokens, {len(made.portions)} requests, {duration(made.cost)}")

    if stage is not None:
        yield batch(kept), batch(present), None


def _registers(kept: Snapshot, present: Snapshot) -> Iterator[Row]:
    def values(now: Snapshot) -> dict[tuple[str, str], float]:
        return {(engine.name, register.name): register.value for engine in now.engines for register in engine.registers}

    def line(name: str, value: float | None) -> Line:
        return NOBODY if value is None else (Piece(f"{name:<12}"), Piece(f"{number(value):>10}", "strong"))

    one, other = values(kept), values(present)
    for key in {**one, **other}:
        yield line(key[1], one.get(key)), line(key[1], other.get(key)), None


def _pools(kept: Snapshot, present: Snapshot) -> Iterator[Row]:
    one, other = {pool.name: pool for pool in kept.pools}, {pool.name: pool for pool in present.pools}
    for name in {**one, **other}:
        yield _pool(one.get(name)), _pool(other.get(name)), None


def _pool(pool: PoolView | None) -> Line:
    if pool is None:
        return NOBODY
    return joined(
        (
            piece(f"{pool.name:<8}{amount(pool.used):>7}/{amount(pool.cap)}"),
            _part(pool.cached, "cached"),
            _part(pool.reserved, "reserved"),
            _part(pool.preemptions, "preempted"),
        )
    )


def _part(units: float, role: Literal["cached", "reserved", "preempted"]) -> Line:
    return piece(f"{amount(units)} {role}", role) if units else ()

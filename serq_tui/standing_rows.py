"""Lines of the card on what keeps an engine from going on: tests that fail, knots, loops; pure, knows no widget."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.knots import Knot, Link
from engine.loops import Loop, Moment, NoLoop
from engine.standstill import Shut, Standstill, Unserved
from engine.targets import AtPosition
from engine.why import Why
from serq_tui.answers import Scene, StandstillAnswer
from serq_tui.decision_words import left_out
from serq_tui.format import amount, clock, duration, grouped, plural, requests
from serq_tui.pieces import Content, Entry, Line, Piece, cut, flowed, joined, piece
from serq_tui.why_rows import LISTED, passing, test_line
from serq_tui.why_words import reason
from serq_tui.words import NAMED


def standstill(answer: StandstillAnswer, width: int) -> Content:
    """What keeps an engine from going on, and what leads to the moments it names."""
    found, scene = answer.standstill, answer.scene
    entries: list[Entry] = [*_opening(found, scene, width), Entry(())]
    for shut in found.heads:
        entries += _head(shut, scene, width)
    for unserved in found.unserved:
        entries += _unserved(unserved, scene, width)
    if not found.heads and not found.unserved:
        entries.append(Entry(piece(" nobody waits, and nobody runs without tokens", "dim")))
    entries += [Entry(()), Entry(piece("who waits for whom", "strong"))]
    for knot in found.knots:
        entries += _knot(knot, scene, width)
    if not found.knots:
        entries.append(Entry(piece(" no cycle: whoever waits, waits for somebody who may go on", "dim")))
    entries += [Entry(()), Entry(piece("what comes again", "strong"))]
    entries += _loop(found.loop, scene, width)
    return Content(entries)


def standstill_title(answer: StandstillAnswer) -> str:
    """The gravest finding in a few words."""
    found = answer.standstill
    if found.knots:
        return f"a knot: {requests(tuple(link.who for link in found.knots[0].links), NAMED)} wait for each other"
    if isinstance(found.loop, Loop):
        return f"a loop: {_round(found.loop)}"
    if found.idle:
        return f"{found.name} is idle with work"
    return "no loop, no knot"


def _opening(found: Standstill, scene: Scene, width: int) -> Iterable[Entry]:
    if found.idle:
        first = piece(f"{found.name} is idle with work", "preempted")
    elif found.name:
        first = piece(f"{found.name} is at work" if _runs(found, scene) else f"{found.name} has nothing to do")
    else:
        first = piece("a program without an engine")
    if math.isinf(found.next_event):
        then = piece("no event is to come: as it is now it stays", "preempted")
    else:
        then = piece(f"the next event is at {clock(found.next_event)}", "dim")
    yield from (Entry(line) for line in flowed([first, then], width))


def _runs(found: Standstill, scene: Scene) -> bool:
    return any(engine.stage == found.engine and engine.batch is not None for engine in scene.now.engines)


def _head(shut: Shut, scene: Scene, width: int) -> list[Entry]:
    made = shut.why
    who = made.question.who
    opening = (Piece(f" {who}", "strong"), Piece(f" is the head of {made.pool_name}: "), Piece(reason(made), "waiting"))
    entries = [Entry(cut(opening, width), who)]
    test = made.reason
    if test is not None and not made.admitted:
        entries += test_line(test, scene, width)
    if shut.passed is not None and not _only_waits(made):
        entries.append(passing(shut.passed, scene, width))
    return entries


def _only_waits(made: Why) -> bool:
    """Whether nothing is shut: the next attempt decides."""
    return made.admitted or (made.reason is not None and made.reason.kind == "iteration")


def _unserved(unserved: Unserved, scene: Scene, width: int) -> list[Entry]:
    record = unserved.record
    line = (Piece(f" {record.who}", "strong"), Piece(f" runs without tokens: {left_out(record)}"))
    return [Entry(cut(line, width), record.who), passing(unserved.passed, scene, width, "had tokens")]


def _knot(knot: Knot, scene: Scene, width: int) -> Iterable[Entry]:
    for i, link in enumerate(knot.links):
        mark = "╭▸" if not i else "│ "
        yield Entry(cut((Piece(f" {mark} ", "preempted"), *_link(link, scene)), width), link.who)
    first = knot.links[0].who
    closed = f" ╰─ and so back to {first}" if len(knot.links) > 1 else " ╰─ itself"
    yield Entry(piece(closed, "preempted"))
    if knot.behind:
        yield Entry(cut(piece(f"    behind them: {requests(knot.behind, LISTED)}", "waiting"), width))
    until = "until one of them asks for less" if knot.moving else "for ever, unless one of them is taken off"
    yield Entry(cut(piece(f"    none of them goes on {until}", "dim"), width))


def _link(link: Link, scene: Scene) -> Line:
    pool = scene.names.pool(link.pool) if link.pool is not None else ""
    held = f"{link.held_by} holds {amount(link.holds)} of it" if link.held_by != link.who else "which it holds itself"
    name = Piece(f"{link.who}", "strong")
    match link.waits:
        case "room":
            return (name, Piece(f" waits for {amount(link.need)} of {pool}, {amount(link.free)} free; {held}"))
        case "growth":
            return (name, Piece(f" waits to grow by {amount(link.need)} in {pool}, {amount(link.free)} free; {held}"))
        case "turn":
            return (name, Piece(f" waits in {pool} behind {link.held_by}"))
        case "legs":
            return (name, Piece(f" waits for its leg {link.held_by}"))


def _round(loop: Loop) -> str:
    every = plural(loop.iterations, "iteration") if loop.iterations else duration(loop.seconds)
    return f"the same state every {every}"


def _loop(loop: Loop | NoLoop, scene: Scene, width: int) -> Iterable[Entry]:
    if isinstance(loop, NoLoop):
        if loop.never is not None:
            text = f" no state of this program can be told to come back: {loop.never}"
        else:
            text = f" no state comes back but for the clock, of {grouped(loop.looked)} looked at around here"
        yield Entry(cut(piece(text, "dim"), width))
        return
    period = f" every {plural(loop.iterations, 'iteration')}, {duration(loop.seconds)}," if loop.iterations else ""
    first = piece(f"{period or f' every {duration(loop.seconds)}'} the state is the same but for the clock", "preempted")
    yield Entry(cut(first, width))
    yield _place("it begins", loop.began, scene, width)
    yield _place("and is first back", loop.again, scene, width)
    did: list[Line] = [piece(f"{plural(loop.tokens, 'token')} computed"), piece(plural(loop.admitted, "admission"))]
    lost = sum(count for _, count in loop.preempted)
    if lost:
        whom = requests(tuple(who for who, _ in loop.preempted), NAMED)
        did.append(piece(f"{plural(lost, 'preemption')} of {whom}", "preempted"))
    did.append(piece(f"{loop.ended} ended", "plain" if loop.ended else "waiting"))
    yield Entry(cut((Piece("    each round: ", "dim"), *joined(did, ", ")), width))
    if loop.tied:
        yield Entry(cut(piece("    two of its events are so close that rounding of the clock may turn them", "dim"), width))


def _place(what: str, moment: Moment, scene: Scene, width: int) -> Entry:
    ahead = ", still to come" if moment.position > scene.now.position else ""
    iteration = f" in iteration {grouped(moment.iteration)}" if moment.iteration else ""
    text = (
        Piece(f"    {what}", "dim"),
        Piece(f"{iteration} at {clock(moment.time)}", "changed"),
        Piece(f"{ahead}  {moment.position}", "dim"),
    )
    return Entry(cut(text, width), AtPosition(moment.position))

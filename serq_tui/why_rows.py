"""Lines of the why card and of a preemption's autopsy; pure, knows no widget."""

from __future__ import annotations

from collections.abc import Iterable

from engine.autopsy import Autopsy
from engine.passing import NeverPassed, Passed
from engine.targets import AtPosition
from engine.trial import Room
from engine.why import AdmissionTest
from engine.would_admit import Change
from serq_tui.answers import AutopsyAnswer, Scene, WhyAnswer
from serq_tui.expression_words import expression
from serq_tui.format import amount, clock, duration, grouped, number, plural, requests
from serq_tui.pieces import Content, Entry, Line, Piece, Role, cut, flowed, joined, piece
from serq_tui.why_words import reason
from serq_tui.words import NAMED

_MARKS: dict[str, tuple[str, Role]] = {"passed": ("✓", "added"), "failed": ("✗", "preempted"), "open": ("–", "dim")}

#: Candidates of a preemption and changes of a kind that are listed before the rest is counted.
LISTED = 6


def why(answer: WhyAnswer, width: int) -> Content:
    """Why a request waits: the tests in the order made, then what would let it in."""
    made, scene = answer.why, answer.scene
    entries: list[Entry] = [*_opening(answer, width), Entry(())]
    for test in made.tests:
        entries += test_line(test, scene, width)
        if test is made.reason and answer.passed is not None and test.kind != "iteration":
            entries.append(passing(answer.passed, scene, width))
    if made.head is not None:
        entries.append(Entry(cut((Piece(f" tried instead: {made.head}", "waiting"), Piece(", which finds no room", "dim")), width)))
        for room in made.head_rooms:
            entries += [Entry(line) for line in flowed([(Piece("   "), *part) for part in _room(room, _fits(room))], width, 3)]
    entries.append(Entry(()))
    entries += _changes(answer, width)
    if answer.autopsy is not None:
        entries += [Entry(()), Entry(piece("waits since a preemption", "strong"))]
        entries += _autopsy(answer.autopsy, scene, width)
    return Content(entries)


def why_title(answer: WhyAnswer) -> str:
    """The card's title: the request and the reason in a few words."""
    made = answer.why
    return f"why {made.question.who} waits: {reason(made)}"


def _opening(answer: WhyAnswer, width: int) -> Iterable[Entry]:
    made, now = answer.why, answer.scene.now
    question = made.question
    waited = now.clock - question.since
    parts: list[Line] = [
        (Piece(f"{question.who}", "strong"), Piece(f" waits in {made.pool_name} since {clock(question.since)}")),
        piece(f"{duration(waited)} so far", "waiting"),
        piece(f"{made.place} of {made.waiting}"),
    ]
    if made.requeued:
        parts.append(piece("put back at the head by a preemption", "preempted"))
    yield from (Entry(line) for line in flowed(parts, width))
    if answer.overtaken:
        latest = answer.overtaken[-1]
        names = requests(tuple(dict.fromkeys(one.who for one in answer.overtaken)), NAMED)
        how = ", come back by a preemption" if latest.requeued else ""
        yield Entry(cut((Piece("overtaken by ", "dim"), Piece(names), Piece(f"; last at {clock(latest.time)}{how}", "dim")), width))
    else:
        yield Entry(piece("overtaken by nobody", "dim"))
    if question.tried == "next":
        yield Entry(cut(piece(f"it joined after the last attempt; the next one is at {clock(question.time)}", "dim"), width))


def test_line(test: AdmissionTest, scene: Scene, width: int) -> list[Entry]:
    """A test, whether it was passed, and its numbers."""
    mark, role = _MARKS[test.outcome]
    text_role: Role = "dim" if test.outcome == "open" else "plain"
    first, *rest = _what(test, scene, text_role)
    return [Entry(cut(line, width)) for line in flowed([(Piece(f" {mark} ", role), *first), *rest], width, 5)]


def passing(passed: Passed | NeverPassed, scene: Scene, width: int, what: str = "passed") -> Entry:
    """When a test was last passed; the line leads there."""
    if isinstance(passed, NeverPassed):
        since = f" since {passed.since}, as far as was looked" if passed.since is not None else ""
        return Entry(cut(piece(f"     never {what} before{since}", "waiting"), width))
    whom = f", by {passed.who}" if passed.who is not None else ""
    iteration = f" in iteration {grouped(passed.iteration)}" if passed.iteration else ""
    ago = scene.now.clock - passed.time
    line = (
        Piece(f"     last {what}", "dim"),
        Piece(f"{iteration} at {clock(passed.time)}{whom}", "changed"),
        Piece(f", {duration(ago)} ago  {passed.position}", "dim"),
    )
    return Entry(cut(line, width), AtPosition(passed.position))


def _what(test: AdmissionTest, scene: Scene, role: Role) -> tuple[Line, ...]:
    """What is tested, and its numbers, in parts that may stand below each other."""
    if test.room is not None:
        return _room(test.room, test.outcome != "failed", role)
    said = [piece(f"{expression(read.expr, scene.names)} is {number(read.value)}", "changed") for read in test.reads]
    return (_sentence(test, scene, role), *said)


def _sentence(test: AdmissionTest, scene: Scene, role: Role) -> Line:
    match test.kind:
        case "iteration":
            until = "" if test.outcome == "passed" or test.value is None else f": one runs until {clock(test.value)}"
            return piece("an iteration could start" + until, role)
        case "branch":
            return (Piece(f"the branch is taken: {_source(test, scene)}", role), *_value(test))
        case "gate":
            return (Piece(f"its guard: {_source(test, scene)}", role), *_value(test))
        case "budget":
            return piece("tokens of the budget are left" + (f": {amount(test.value)}" if test.value is not None else ""), role)
        case "preempted":
            count = f": {plural(test.value, 'was', 'were')}" if test.value else ""
            return piece("nobody was preempted in this iteration" + count, role)
        case "granule":
            return piece("no prefill waits on its granule", role)
        case "turn":
            if not test.ahead:
                return piece("it is its turn in the queue", role)
            return piece(f"it is its turn in the queue: {requests(test.ahead, LISTED)} before it", role)
        case "room":
            return ()


def _value(test: AdmissionTest) -> Line:
    if test.value is None:
        return ()
    answer = {0.0: "no", 1.0: "yes"}.get(test.value, number(test.value))
    return (Piece(f" ⟹ {answer}", "changed" if test.outcome != "open" else "dim"),)


def _source(test: AdmissionTest, scene: Scene) -> str:
    if test.path is None:
        return "not in the text"
    found = next((said for (_, path), said in scene.schedule.items() if path == test.path), None)
    return f"line {found[0]}, {found[1]}" if found is not None else "not in the text"


def _fits(room: Room) -> bool:
    return room.need <= room.free


def _room(room: Room, fits: bool, role: Role = "plain") -> tuple[Line, ...]:
    """``kv needs 32``, ``free 16 = 160 − used 128 − reserved 16``, ``16 cached give way``."""
    needs = f"{room.name} needs {amount(room.need)}"
    if room.reserve is not None:
        needs += f" (takes {amount(room.units)}, reserve {amount(room.reserve)})"
    elif room.units != room.need:
        needs += f" (takes {amount(room.units)}, whole blocks)"
    free = f"free {amount(room.free)} = {amount(room.cap)} − used {amount(room.used)}"
    if room.reserved:
        free += f" − reserved {amount(room.reserved)}"
    parts: list[Line] = [piece(needs, role), piece(free, role if fits else "preempted")]
    if room.cached:
        parts.append(piece(f"{amount(room.cached)} cached give way", "cached" if role != "dim" else "dim"))
    return tuple(parts)


def _changes(answer: WhyAnswer, width: int) -> Iterable[Entry]:
    made = answer.why
    if made.admitted:
        yield Entry(piece("the coming attempt admits it as things are", "added"))
        return
    if not answer.changes:
        yield Entry(cut(piece("no single change that was tried would admit it now", "dim"), width))
        return
    when = "at this attempt" if made.question.tried == "last" else "now"
    yield Entry((Piece(f"would be admitted {when} by", "strong"), Piece("  each tried on a copy of the run", "dim")))
    fewer = [change for change in answer.changes if change.kind == "fewer"]
    for change in answer.changes:
        if change.kind != "fewer":
            yield Entry(cut((Piece("   + ", "added"), *piece(change_words(change, answer.scene))), width))
    if fewer:
        names = requests(tuple(change.who for change in fewer if change.who is not None), LISTED)
        word = "one running request fewer: " if len(fewer) == 1 else "one running request fewer, any of "
        yield Entry(cut((Piece("   − ", "removed"), Piece(word + names)), width))


def change_words(change: Change, scene: Scene) -> str:
    """A change that would let a request in: ``kv 2 blocks more (32 units)``."""
    match change.kind:
        case "capacity":
            pool = scene.names.pool(change.pool if change.pool is not None else -1)
            if change.step != 1:
                return f"{plural(change.units / change.step, 'block')} more of {pool} ({plural(change.units, 'unit')})"
            return f"{plural(change.units, 'unit')} more of {pool}"
        case "budget":
            return f"a budget of {plural(change.units, 'token')} more"
        case "turn":
            return "its turn: before all others of its queue"
        case "guard":
            line = next((line for (_, path), (line, _) in scene.schedule.items() if path == change.path), None)
            where = f" on line {line}" if line is not None else ""
            return f"the guard{where} {'open' if change.units else 'the other way'}"
        case "fewer":
            return f"{change.who} gone"


# --------------------------------------------------------------------------- autopsy


def autopsy(answer: AutopsyAnswer, width: int) -> Content:
    """A preemption: who grew, who could have gone, what it cost."""
    return Content(list(_autopsy(answer.autopsy, answer.scene, width)))


def autopsy_title(answer: AutopsyAnswer) -> str:
    """The title: whose preemption, and by whose growth."""
    record = answer.autopsy.record
    return f"preemption of {record.who} by {'its own growth' if answer.autopsy.own else f'the growth of {record.grower}'}"


def _autopsy(found: Autopsy, scene: Scene, width: int) -> Iterable[Entry]:
    record = found.record
    pool = scene.names.pool(record.pool)
    grew = f"{record.grower} asked for {amount(record.need)} of {pool}, {amount(record.free)} free"
    yield Entry(cut((Piece(" " + grew),), width), AtPosition(found.position))
    kept = f", {amount(found.kept)} stay cached" if found.kept else ""
    lost: Line = (
        Piece(" ✗ ", "preempted"),
        Piece(f"{record.who} loses {amount(record.position)} computed units{kept}", "preempted"),
    )
    yield Entry(cut(lost, width))
    yield Entry(piece(" candidates, the least key goes first", "dim"))
    for place, (who, keys) in enumerate(record.candidates[:LISTED]):
        # 0 has a sign here where keys are negated places.
        shown = ", ".join(number(key + 0.0) for key in keys)
        mark: Line = piece("   x ", "preempted") if not place else piece("     ")
        yield Entry(
            cut(
                (
                    *mark,
                    Piece(f"{who!s:<6}", "strong" if not place else "plain"),
                    Piece(f"key{'s' if len(keys) > 1 else ''} {shown}", "dim"),
                ),
                width,
            )
        )
    rest = len(record.candidates) - LISTED
    if rest > 0:
        yield Entry(piece(f"     and {rest} more", "dim"))
    yield from _cost(found, width)


def _cost(found: Autopsy, width: int) -> Iterable[Entry]:
    cost = found.cost
    if cost is None:
        ended = "it ended without coming back" if found.ended else "it does not come back as far as was looked ahead"
        yield Entry(cut(piece(f" {ended}", "waiting"), width))
        return
    back = (Piece(" resumed ", "dim"), Piece(f"at {clock(cost.resumed)}"), Piece(f" {cost.resumed_at}", "dim"))
    waited = piece(f"after {duration(cost.resumed - found.record.time)}", "waiting")
    hit = piece(f"{amount(cost.found)} found cached", "cached") if cost.found else ()
    yield Entry(cut(joined((back, waited, hit)), width), AtPosition(cost.resumed_at))
    so_far = "" if cost.done else " so far"
    again = f" cost    {plural(cost.recomputed, 'token')} computed again{so_far}, in iterations of {duration(cost.seconds)}"
    yield Entry(cut(piece(again, "changed"), width))

"""Lines of a request's story; pure, knows no widget."""

from __future__ import annotations

from collections.abc import Iterable

from engine.story import Gap, Lookup, Phase, Story, Stretch, Turn, shares
from engine.targets import AtPosition, AtTime
from serq_tui.answers import Scene, StoryAnswer
from serq_tui.format import amount, clock, duration, plural, requests
from serq_tui.pieces import Content, Entry, Line, Piece, Role, cut, flowed, joined, piece
from serq_tui.words import NAMED

#: A letter and a role a phase.
LETTERS: dict[Phase, tuple[str, Role]] = {
    "queued": ("q", "waiting"),
    "preempted": ("x", "preempted"),
    "prefill": ("P", "prefill"),
    "recompute": ("R", "changed"),
    "decode": ("d", "decode"),
    "unserved": ("·", "waiting"),
    "growing": ("g", "preempted"),
    "stage": ("-", "dim"),
    "legs": ("l", "dim"),
}

_SAID: dict[Phase, str] = {
    "queued": "queued",
    "preempted": "preempted",
    "prefill": "prefill",
    "recompute": "recompute",
    "decode": "decode",
    "unserved": "runs without tokens",
    "growing": "waits to grow",
    "stage": "elsewhere",
    "legs": "waits for its legs",
}

_BLAMED = {
    "budget": "no budget",
    "seats": "no seat",
    "memory": "no room",
    "order": "not its turn",
    "gate": "a guard is shut",
    "preemption": "a preemption",
    "iteration": "the running iteration",
}

#: Seconds below which a stretch is the rounding of two sums of the clock, and not worth a line.
NOTHING = 1e-9

#: Gaps are shown by their height, eight steps from none to the longest.
HEIGHTS = "▁▂▃▄▅▆▇█"

#: Stretches and evictions listed before the rest is counted: a screen's worth.
LISTED = 200


def story(answer: StoryAnswer, width: int) -> Content:
    """One request from its arrival to this moment."""
    told, scene = answer.story, answer.scene
    entries: list[Entry] = [Entry(line) for line in flowed(_opening(told), width)]
    for turn in told.turns:
        entries += [Entry(line) for line in _turn(told, turn, len(told.turns), width)]
    entries += [Entry(()), *(Entry(line) for line in _lane(told, width)), Entry(())]
    entries += _gaps(told, width)
    entries += _prefixes(told, scene, width)
    entries += _losses(told, width)
    entries += [Entry(()), Entry(piece("what it did", "strong"))]
    for stretch in [stretch for stretch in told.stretches if stretch.seconds > NOTHING][-LISTED:]:
        entries.append(Entry(cut(_stretch(stretch, scene), width), AtTime(stretch.start)))
    return Content(entries)


def story_title(answer: StoryAnswer) -> str:
    """The request."""
    return f"story of {answer.story.who}"


def _opening(told: Story) -> Iterable[Line]:
    yield (Piece(str(told.who), "strong"), Piece(" arrived ", "dim"), Piece(clock(told.arrived)))
    yield (Piece("ended ", "dim"), Piece(clock(told.ended) if told.ended is not None else "not yet"))
    if told.losses:
        yield piece(f"preempted {plural(len(told.losses), 'time')}", "preempted")


def _turn(told: Story, turn: Turn, turns: int, width: int) -> Iterable[Line]:
    named = f"turn at {clock(turn.opened)}: " if turns > 1 else ""
    for name, end, stretches in (
        ("first token", turn.first_token, told.to_first_token(turn)),
        ("response", turn.response, told.to_response(turn)),
    ):
        until = end if end is not None else told.until
        total = duration(until - turn.opened) if end is not None else f"not yet, {duration(until - turn.opened)} so far"
        told_shares = [(key, seconds) for key, seconds in shares(stretches).items() if seconds > NOTHING]
        equals = " =" if told_shares else ""
        parts: list[Line] = [(Piece(f"{named}to its {name} ", "dim"), Piece(total, "strong"), Piece(equals))]
        for index, ((phase, blame), seconds) in enumerate(told_shares):
            why = f" ({_BLAMED[blame]})" if blame is not None and phase != "preempted" else ""
            plus = "+ " if index else ""
            parts.append((Piece(plus), Piece(f"{_SAID[phase]}{why} {duration(seconds)}", LETTERS[phase][1])))
        yield from flowed(parts, width, 4)


def _lane(told: Story, width: int) -> Iterable[Line]:
    """The whole life in one line, each cell what it did longest in that share of the time."""
    room = max(width - 2, 1)
    span = told.until - told.arrived
    if span <= 0 or not told.stretches:
        return
    cells: list[Phase] = []
    at = 0
    for index in range(room):
        low, high = told.arrived + span * index / room, told.arrived + span * (index + 1) / room
        while at + 1 < len(told.stretches) and told.stretches[at].end <= low:
            at += 1
        best, most = told.stretches[at].phase, 0.0
        for stretch in told.stretches[at:]:
            if stretch.start >= high:
                break
            share = min(stretch.end, high) - max(stretch.start, low)
            # What is short and rare is what one looks for: a preemption is never lost in its cell.
            if share > most or (stretch.phase in ("preempted", "recompute") and best == "decode"):
                best, most = stretch.phase, share
        cells.append(best)
    line: list[Piece] = [Piece(" ")]
    for phase in cells:
        letter, role = LETTERS[phase]
        if line[-1].role == role and len(line) > 1:
            line[-1] = Piece(line[-1].text + letter, role)
        else:
            line.append(Piece(letter, role))
    first, last = clock(told.arrived), clock(told.until)
    yield (Piece(f" {first}", "dim"), Piece(" " * max(room - len(first) - len(last), 1)), Piece(last, "dim"))
    yield tuple(line)
    legend = [piece(f"{LETTERS[phase][0]} {_SAID[phase]}", LETTERS[phase][1]) for phase in dict.fromkeys(cells)]
    yield cut((Piece(" "), *joined(legend)), width)


def _gaps(told: Story, width: int) -> Iterable[Entry]:
    if not told.gaps:
        return
    longest = max(gap.seconds for gap in told.gaps)
    room = max(width - 14, 1)
    # Of more gaps than cells each cell shows its longest: the peaks are what one looks for.
    each = -(-len(told.gaps) // room)
    groups = [told.gaps[start : start + each] for start in range(0, len(told.gaps), each)]
    heights = "".join(HEIGHTS[min(int(max(g.seconds for g in group) / longest * 8), 7)] for group in groups)
    yield Entry((Piece(" token gaps  ", "strong"), Piece(heights, "decode")))
    for gap in told.longest:
        yield Entry(cut(_gap(gap), width), AtTime(gap.end))


def _gap(gap: Gap) -> Line:
    prefills = [portion for portion in gap.batch if portion.mode == "prefill"]
    decodes = len(gap.batch) - len(prefills)
    beside = [f"{portion.who}'s prefill of {amount(portion.tokens)}" for portion in prefills[:NAMED]]
    beside += [plural(decodes, "decode")] if decodes else []
    words = f" with {', '.join(beside)}" if beside else " alone"
    why = ", preempted in between" if gap.preempted else ""
    return (Piece(f"   {duration(gap.seconds):>8}", "changed"), Piece(f"  at iteration {gap.iteration}"), Piece(words + why, "dim"))


def _prefixes(told: Story, scene: Scene, width: int) -> Iterable[Entry]:
    lookups = [lookup for lookup in told.lookups if lookup.kept or lookup.found or lookup.evictions]
    for lookup in lookups:
        yield Entry(cut(_lookup(lookup), width), AtTime(lookup.time))
        for eviction in lookup.evictions[:LISTED]:
            benefit = f" for {eviction.benefit}" if eviction.benefit is not None else ""
            meanwhile = " while it waited" if eviction.waiting else ""
            pool = scene.names.pool(eviction.pool)
            said = f"   {amount(eviction.units)} of {pool} evicted at {clock(eviction.time)}{benefit}{meanwhile}"
            yield Entry(cut(piece(said, "preempted"), width), AtPosition(eviction.position))


def _lookup(lookup: Lookup) -> Line:
    of = f" of {amount(lookup.kept)}" if lookup.kept else ""
    word = "hit" if lookup.found else "miss"
    return (
        Piece(" prefix      ", "strong"),
        Piece(f"{word} {amount(lookup.found)}{of}", "cached" if lookup.found else "preempted"),
        Piece(f"  at {clock(lookup.time)}", "dim"),
    )


def _losses(told: Story, width: int) -> Iterable[Entry]:
    for loss in told.losses:
        by = "its own growth" if loss.grower == told.who else f"the growth of {loss.grower}"
        said = (
            Piece(" preempted   ", "strong"),
            Piece(f"at {clock(loss.time)} by {by}, {amount(loss.computed)} computed", "preempted"),
        )
        yield Entry(cut(said, width), AtPosition(loss.position))
        if loss.resumed_at is not None and loss.resumed is not None:
            back = piece(f"             resumed at {clock(loss.resumed)}, after {duration(loss.resumed - loss.time)}", "dim")
            yield Entry(cut(back, width), AtPosition(loss.resumed_at))


def _stretch(stretch: Stretch, scene: Scene) -> Line:
    letter, role = LETTERS[stretch.phase]
    parts: list[Line] = [
        (Piece(f" {letter} ", role), Piece(f"{clock(stretch.start):>12}", "dim")),
        piece(f"{duration(stretch.seconds):>8}"),
        piece(_SAID[stretch.phase], role),
    ]
    if stretch.tokens:
        parts.append(piece(f"{plural(stretch.tokens, 'token')} in {plural(stretch.iterations, 'iteration')}", "dim"))
    if stretch.blame is not None:
        why = _BLAMED[stretch.blame]
        if stretch.behind is not None:
            who = requests((stretch.behind,), 1)
            why += f": {who} before it" if stretch.blame == "order" else f": {who} grew" if stretch.blame == "preemption" else ""
        if stretch.pool is not None and stretch.blame in ("memory", "seats", "order"):
            short = scene.names.pool(stretch.pool)
            why += f" lacks {short}" if stretch.blame == "order" else f" in {short}"
        parts.append(piece(why, "waiting"))
    if stretch.phase == "stage" and stretch.stage is not None:
        names = {stage.stage: stage.name for stage in scene.now.stages}
        parts.append(piece(f"at {names.get(stretch.stage, 'a stage')}", "dim"))
    return joined(parts)

"""The rules of the trace-event format, and a run's figures recomputed from a trace alone; knows nothing of how one is written."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

Event = dict[str, Any]
Track = tuple[int, int]

METADATA = {
    "process_name": "name",
    "process_sort_index": "sort_index",
    "thread_name": "name",
    "thread_sort_index": "sort_index",
}

PHASES = set("BEXiCsfM")


def read(text: str) -> dict[str, Any]:
    """A trace with every number as it is written."""
    trace: dict[str, Any] = json.loads(text, parse_float=Decimal, parse_constant=_no_number)
    return trace


def _no_number(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


def check(trace: dict[str, Any]) -> None:
    """Fails where a trace is none by the format's rules."""
    assert trace["displayTimeUnit"] in ("ms", "ns")
    events: list[Event] = trace["traceEvents"]
    named: dict[str, set[Track]] = {title: set() for title in METADATA}
    for event in events:
        assert event["ph"] in PHASES, event
        assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
        assert _is_number(event["ts"]) and event["ts"] >= 0, event
        assert isinstance(event["name"], str) and event["name"], event
        assert isinstance(event.get("args", {}), dict), event
        if event["ph"] == "M":
            track = (event["pid"], event["tid"])
            assert set(event["args"]) == {METADATA[event["name"]]}, event
            assert track not in named[event["name"]], f"named twice: {event}"
            named[event["name"]].add(track)
    _check_names(events, named)
    slices = _slices(events)
    for track, spans in slices.items():
        _check_nested(track, spans)
    _check_instants(events, slices)
    _check_counters(events)
    _check_flows(events, slices)


def _check_names(events: Iterable[Event], named: dict[str, set[Track]]) -> None:
    """Every process has a name, and so has every lane that something stands on."""
    processes = {pid for pid, _ in named["process_name"]}
    for event in events:
        assert event["pid"] in processes, event
        if event["ph"] not in "MC":
            assert (event["pid"], event["tid"]) in named["thread_name"], event


def _slices(events: Iterable[Event]) -> dict[Track, list[tuple[Decimal, Decimal]]]:
    """The slices of each lane, from ``X`` and from ``B`` with its ``E``."""
    slices: dict[Track, list[tuple[Decimal, Decimal]]] = defaultdict(list)
    open_: dict[Track, list[Event]] = defaultdict(list)
    latest: dict[Track, Decimal] = {}
    for event in events:
        track = (event["pid"], event["tid"])
        if event["ph"] == "X":
            assert _is_number(event["dur"]) and event["dur"] >= 0, event
            slices[track].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "BE":
            # The format asks for the order of time among these, lane by lane.
            assert event["ts"] >= latest.get(track, 0), event
            latest[track] = event["ts"]
            if event["ph"] == "B":
                open_[track].append(event)
            else:
                assert open_[track], f"ends what has not begun: {event}"
                began = open_[track].pop()
                assert began["name"] == event["name"], (began, event)
                slices[track].append((began["ts"], event["ts"]))
    assert not any(open_.values()), "a slice has no end"
    return slices


def _check_nested(track: Track, spans: list[tuple[Decimal, Decimal]]) -> None:
    """Of two slices of a lane one is within the other, or they are apart."""
    inside: list[Decimal] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        while inside and inside[-1] <= start:
            inside.pop()
        assert not inside or end <= inside[-1], f"slices of lane {track} overlap at {start}"
        inside.append(end)


def _check_instants(events: Iterable[Event], slices: dict[Track, list[tuple[Decimal, Decimal]]]) -> None:
    for event in events:
        if event["ph"] == "i":
            assert event["s"] in ("g", "p", "t"), event
        if event["ph"] == "i" and event["tid"] and slices.get((event["pid"], event["tid"])) and event["args"].get("who"):
            assert _around(event, slices), f"a request's decision is outside its life: {event}"


def _check_counters(events: Iterable[Event]) -> None:
    latest: dict[tuple[int, str], Decimal] = {}
    for event in events:
        if event["ph"] == "C":
            assert event["args"], event
            assert all(_is_number(value) for value in event["args"].values()), event
            counter = (event["pid"], event["name"])
            assert counter not in latest or event["ts"] > latest[counter], event
            latest[counter] = event["ts"]


def _check_flows(events: Iterable[Event], slices: dict[Track, list[tuple[Decimal, Decimal]]]) -> None:
    """Every arrow has one start and one end, not before it, and both stand within slices."""
    arrows: dict[tuple[str, str, Any], dict[str, Event]] = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            ends = arrows[event["cat"], event["name"], event["id"]]
            assert event["ph"] not in ends, f"an arrow has two ends: {event}"
            ends[event["ph"]] = event
            assert _around(event, slices), f"an arrow hangs in the air: {event}"
    for ends in arrows.values():
        assert set(ends) == {"s", "f"}, f"half an arrow: {ends}"
        assert ends["s"]["ts"] <= ends["f"]["ts"], ends
        assert ends["f"]["bp"] == "e", ends


def _around(event: Event, slices: dict[Track, list[tuple[Decimal, Decimal]]]) -> bool:
    return any(start <= event["ts"] <= end for start, end in slices.get((event["pid"], event["tid"]), ()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool) and math.isfinite(value)


# --------------------------------------------------------------------------- what a trace says of its run


class Figures:
    """A run's figures from its trace alone.

    Means are taken as the report takes them (R9.2, R9.5): sums of value times duration in the order of time, divided once;
    means of samples one at a time.
    """

    def __init__(self, trace: dict[str, Any]) -> None:
        self.events: list[Event] = trace["traceEvents"]
        about = trace["otherData"]
        self.end, self.warmup = float(about["end"]), float(about["warmup"])
        threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in self.events if event["name"] == "thread_name"}
        processes = {event["args"]["name"]: event["pid"] for event in self.events if event["name"] == "process_name"}
        self._engines, self._pools, self._requests = (processes[name] for name in ("engines", "pools", "requests"))
        self.engines = [name for (pid, _), name in threads.items() if pid == self._engines]
        self.pools = [name for (pid, _), name in threads.items() if pid == self._pools]

    def iterations(self, engine: str) -> list[dict[str, Any]]:
        """The arguments of an engine's iterations, in the order they began."""
        found = [e["args"] for e in self.events if e["ph"] == "X" and e["pid"] == self._engines and e["args"]["engine"] == engine]
        return sorted(found, key=lambda args: args["iteration"])

    def tokens(self, engine: str) -> float:
        """Tokens an engine scheduled, added up in order."""
        total = 0.0
        for iteration in self.iterations(engine):
            total += float(iteration["tokens"])
        return total

    def tokens_of_requests(self, engine: str) -> float:
        """Tokens the requests got at an engine, by their lanes."""
        lanes = [e["args"] for e in self.events if e["ph"] == "X" and e["pid"] == self._requests]
        return math.fsum(float(args["tokens"]) for args in lanes if args.get("engine") == engine and "tokens" in args)

    def mean_decode_batch(self, engine: str) -> float | None:
        """Decodes of the iterations that have some, after the warm-up."""
        return self._mean(engine, "decodes")

    def mean_decode_step(self, engine: str) -> float | None:
        """Seconds of the iterations that decode, after the warm-up."""
        return self._mean(engine, "seconds")

    def _mean(self, engine: str, what: str) -> float | None:
        n, mean = 0, 0.0
        for iteration in self.iterations(engine):
            if iteration["decodes"] and float(iteration["t"]) >= self.warmup:
                n += 1
                mean += (float(iteration[what]) - mean) / n
        return mean if n else None

    def decisions(self, kind: str) -> list[dict[str, Any]]:
        """The arguments of the instants of a kind, in order."""
        return [event["args"] for event in self.events if event["ph"] == "i" and event["name"] == kind]

    def preemptions(self, pool: str) -> int:
        """Holds and leases taken for growths in a pool."""
        return sum(args["pool"] == pool for kind in ("Preempted", "LeaseTaken") for args in self.decisions(kind))

    def admissions(self, pool: str) -> int:
        """Holds admitted that take from a pool."""
        return sum(args["pools"].count(pool) for args in self.decisions("Admitted"))

    def evicted(self, pool: str) -> float:
        """Units of cached prefixes that gave way."""
        total = 0.0
        for args in self.decisions("Evicted"):
            if args["pool"] == pool:
                total += float(args["units"])
        return total

    def pool_mean(self, pool: str, what: str) -> float | None:
        """The mean over time of a pool's ``used``, ``cached``, ``waiting`` or ``holders``."""
        title = f"{pool} queue" if what in ("waiting", "holders") else pool
        return self._over_time(self._pools, title, what)

    def engine_mean(self, engine: str, what: str) -> float | None:
        """The mean over time of an engine's ``running`` requests."""
        return self._over_time(self._engines, f"{engine} load", what)

    def _over_time(self, process: int, title: str, what: str) -> float | None:
        points = [
            (seconds_of(event["ts"]), float(event["args"][what]))
            for event in self.events
            if event["ph"] == "C" and event["pid"] == process and event["name"] == title
        ]
        if not points or not self.end > self.warmup:
            return None
        integral = 0.0
        for (start, value), (stop, _) in zip(points, [*points[1:], (self.end, 0.0)], strict=True):
            low, high = max(start, self.warmup), min(stop, self.end)
            if high > low:
                integral += value * (high - low)
        return integral / (self.end - self.warmup)


def seconds_of(ts: Decimal | int) -> float:
    """The instant of an event whose ``ts`` has all digits: the point is moved back, nothing is rounded."""
    return float(Decimal(ts).scaleb(-6))

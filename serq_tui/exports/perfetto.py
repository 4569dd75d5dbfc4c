"""A run as a Chrome trace, which Perfetto opens; docs/exports.md says what stands where. It is written as it comes and never held.

Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from math import isfinite
from typing import Any, TextIO, assert_never

from engine.codes import ProgramCode
from engine.course import EngineLevel, Fact, IterationBegan, IterationEnded, PoolLevel
from engine.decisions import (
    AdmissionClosed,
    Arrived,
    Attempted,
    ClaimRead,
    Decision,
    Ended,
    Evicted,
    Grew,
    Guarded,
    LeaseTaken,
    LeftOut,
    Preempted,
    Queued,
    RegisterSet,
    Served,
)
from engine.names import name
from engine.snapshot import Who
from serq_tui.decision_json import DecisionNames
from serq_tui.exports.lanes import Happening, Lanes, LifeBegan, LifeEnded, Phase
from serq_tui.exports.run_facts import RunFacts
from serq_tui.report_json import samples_json

ENGINES, POOLS, REQUESTS = 1, 2, 3
"""The processes of the trace."""

_PROCESSES = {ENGINES: "engines", POOLS: "pools", REQUESTS: "requests"}

_TOLD_OTHERWISE = (Arrived, Queued, Ended, Served, LeftOut, Grew, Guarded, AdmissionClosed)
"""Decisions that are no instants: the phases, their tokens and the counters say them, or they are made for every request of
every iteration, where ``--decisions`` has them."""

_LEFT_OUT = frozenset({"time", "candidates", "executed", "path", "lit"})
"""Fields of a decision that its instant does not have: long, or about the text."""

_FLOW_DELAY = 1
"""Nanoseconds from a preemption to the arrow's start, and from there to its end. An arrow binds to the slice that is open
where it stands, and of what begins at one instant a viewer may take the arrow first."""


class TraceWriter:
    """A listener to the course of a run that writes it.

    Args:
        out: where to.
        code: the program, for the names of what facts give by number.
    """

    def __init__(self, out: TextIO, code: ProgramCode) -> None:
        self._out = out
        self._names = DecisionNames(code)
        self._pools = [name(pool) for pool in code.pools]
        self._stages = [name(stage) for stage in code.stages]
        self._lanes = Lanes()
        self._threads: dict[Who, int] = {}
        self._latest: dict[int, int] = {}
        """Per lane of a request that lives, the latest instant on it in nanoseconds: its end comes after."""
        self._next = 1
        self._flows = 0
        self._running: dict[int, IterationBegan] = {}
        self._first = True
        out.write('{"displayTimeUnit":"ms","traceEvents":[')
        for number, title in _PROCESSES.items():
            self._meta(number, 0, "process_name", {"name": title})
            self._meta(number, 0, "process_sort_index", {"sort_index": number})
        for index in code.engines:
            self._meta(ENGINES, index + 1, "thread_name", {"name": self._stages[index]})
        for index, title in enumerate(self._pools):
            self._meta(POOLS, index + 1, "thread_name", {"name": title})

    def take(self, fact: Fact) -> None:
        """Write what a fact says."""
        for happening in self._lanes.take(fact):
            self._happened(happening)
        match fact:
            case IterationBegan():
                self._running[fact.stage] = fact
            case IterationEnded():
                self._iteration(self._running.pop(fact.stage), fact.time, ended=True)
            case PoolLevel():
                about = {"used": fact.used, "cached": fact.cached, "reserved": fact.reserved}
                self._counter(POOLS, self._pools[fact.pool], fact.time, about)
                queue = {"waiting": fact.waiting, "holders": fact.holders}
                self._counter(POOLS, f"{self._pools[fact.pool]} queue", fact.time, queue)
            case EngineLevel():
                load = {"running": fact.running, "waiting": fact.waiting}
                self._counter(ENGINES, f"{self._stages[fact.stage]} load", fact.time, load)
            case _:
                self._decision(fact)

    def close(self, facts: RunFacts) -> None:
        """Write what is open where the run ends, and what holds for all of it."""
        for began in self._running.values():
            self._iteration(began, facts.end, ended=False)
        for happening in self._lanes.close(facts.end):
            self._happened(happening)
        self._out.write(f'\n],"otherData":{_json(facts.as_json())}}}\n')

    # ------------------------------------------------------------------ what happens

    def _happened(self, happening: Happening) -> None:
        match happening:
            case LifeBegan(time, who):
                thread = self._threads[who] = self._next
                self._next += 1
                self._meta(REQUESTS, thread, "thread_name", {"name": str(who)})
                self._meta(REQUESTS, thread, "thread_sort_index", {"sort_index": thread})
                self._latest[thread] = _nanoseconds(time)
                self._event("B", REQUESTS, thread, _nanoseconds(time), f"request {who}", {"t": time})
            case Phase():
                self._phase(happening)
            case LifeEnded():
                thread = self._threads.pop(happening.who)
                at = max(self._latest.pop(thread), _nanoseconds(happening.until))
                about = {"t": happening.until, "ended": happening.ended is not None}
                self._event("E", REQUESTS, thread, at, f"request {happening.who}", about)
            case unknown:
                assert_never(unknown)

    def _phase(self, phase: Phase) -> None:
        about: dict[str, Any] = {"t": phase.start, "end": phase.end}
        if phase.stage is not None:
            about["engine"] = self._stages[phase.stage]
        if phase.pool is not None:
            about["pool"] = self._pools[phase.pool]
        if phase.reason is not None:
            about["reason"] = phase.reason
        if phase.first:
            about |= {"tokens": phase.tokens, "first_iteration": phase.first, "last_iteration": phase.last}
        self._slice(REQUESTS, self._threads[phase.who], phase.name, phase.start, phase.end, about)

    def _iteration(self, began: IterationBegan, end: float, *, ended: bool) -> None:
        prefills, decodes = began.tokens_of("prefill"), began.tokens_of("decode")
        about = {
            "t": began.time,
            "end": end,
            "seconds": began.cost,
            "engine": self._stages[began.stage],
            "iteration": began.iteration,
            "tokens": began.tokens + 0.0,
            "prefill_tokens": sum(prefills),
            "decode_tokens": sum(decodes),
            "prefills": len(prefills),
            "decodes": len(decodes),
            "budget": began.budget,
            "running": began.running,
            "waiting": began.waiting,
            "preempted": began.preempted,
            "ended": ended,
        }
        self._slice(ENGINES, began.stage + 1, f"iteration {began.iteration}", began.time, end, about)

    def _decision(self, record: Decision) -> None:
        if isinstance(record, _TOLD_OTHERWISE):
            return
        if isinstance(record, Attempted) and record.outcome != "idle":
            return
        if isinstance(record, ClaimRead) and record.held:
            return
        about = {"t": record.time}
        for field in fields(record):
            if field.name not in _LEFT_OUT:
                about[field.name] = self._names.value(field.name, getattr(record, field.name))
        process, thread = self._place(record)
        at = _nanoseconds(record.time)
        self._mark(process, thread, at)
        self._event("i", process, thread, at, type(record).__name__, about, '"s":"t"')
        if isinstance(record, Preempted | LeaseTaken):
            self._flow(record)

    def _place(self, record: Decision) -> tuple[int, int]:
        """Where an instant stands: on its request's lane, else its pool's or its engine's."""
        who = getattr(record, "who", None)
        if isinstance(who, Who) and who in self._threads:
            return REQUESTS, self._threads[who]
        if isinstance(record, Evicted):
            return POOLS, record.pool + 1
        if isinstance(record, Attempted | RegisterSet | ClaimRead):
            return ENGINES, record.stage + 1
        return (POOLS, getattr(record, "pool", 0) + 1)

    def _flow(self, record: Preempted | LeaseTaken) -> None:
        """An arrow from whose growth it was to whom it cost; whoever was its own victim has none."""
        grower = record.grower
        if grower is None or grower == record.who or grower not in self._threads or record.who not in self._threads:
            return
        self._flows += 1
        at = _nanoseconds(record.time)
        about = {"t": record.time}
        for phase, who, extra in (("s", grower, ""), ("f", record.who, ',"bp":"e"')):
            at += _FLOW_DELAY
            self._mark(REQUESTS, self._threads[who], at)
            bound = f'"cat":"preemption","id":{self._flows}{extra}'
            self._event(phase, REQUESTS, self._threads[who], at, "preemption", about, bound)

    # ------------------------------------------------------------------ the format

    def _mark(self, process: int, thread: int, at: int) -> None:
        if process == REQUESTS:
            self._latest[thread] = max(self._latest[thread], at)

    def _slice(self, process: int, thread: int, title: str, start: float, end: float, about: dict[str, Any]) -> None:
        # Both ends on one grid, so that slices that follow each other meet and never overlap.
        low, high = _nanoseconds(start), _nanoseconds(end)
        self._mark(process, thread, high)
        self._event("X", process, thread, low, title, about, f'"dur":{_microseconds(high - low)}')

    def _counter(self, process: int, title: str, time: float, series: Mapping[str, float]) -> None:
        # A counter has numbers for arguments and nothing else: its exact time is in the digits of ``ts``.
        finite = {key: value for key, value in series.items() if isfinite(value)}
        self._line(f'"ph":"C","pid":{process},"tid":0,"ts":{exact_microseconds(time)},"name":{_json(title)},"args":{_json(finite)}')

    def _event(self, kind: str, process: int, thread: int, at: int, title: str, about: dict[str, Any], more: str = "") -> None:
        rest = f",{more}" if more else ""
        self._line(
            f'"ph":"{kind}","pid":{process},"tid":{thread},"ts":{_microseconds(at)}{rest},'
            f'"name":{_json(title)},"args":{_json(samples_json(about))}'
        )

    def _meta(self, process: int, thread: int, title: str, about: dict[str, Any]) -> None:
        self._line(f'"ph":"M","pid":{process},"tid":{thread},"ts":0,"name":"{title}","args":{_json(about)}')

    def _line(self, members: str) -> None:
        self._out.write(f"{'' if self._first else ','}\n{{{members}}}")
        self._first = False


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
"""One for all events: ``json.dumps`` makes an encoder for each."""


def _json(value: Any) -> str:
    return _ENCODER.encode(value)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


def _microseconds(nanoseconds: int) -> str:
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def exact_microseconds(seconds: float) -> str:
    """Microseconds whose digits are those of the seconds: moving the point back gives the same number to the last bit."""
    return format(Decimal(repr(seconds)).scaleb(6), "f")

"""Reads stops and watched values as people write them; stops nothing and knows no screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from engine.breakpoints import (
    Breakpoint,
    OnAdmission,
    OnClaim,
    OnEnd,
    OnEviction,
    OnFirstToken,
    OnIdle,
    OnPreemption,
    OnRegister,
    OnRejection,
    OnRequest,
    OnStatement,
)
from engine.conditions import OnChange, OnCondition, Value
from grammar import ir
from grammar.declaring import dataclass
from grammar.diagnostics import Diagnostic, ProgramError
from grammar.names import nearest
from serq_tui.decision_words import Names
from serq_tui.loading import LoadedProgram
from serq_tui.source_state import statements_on

#: Kinds of stops that stand for themselves, and those that name something.
_OF_A_POOL: dict[str, Callable[[int | None], Breakpoint]] = {
    "preemption": OnPreemption,
    "admission": OnAdmission,
    "eviction": OnEviction,
}
_ALONE: dict[str, Breakpoint] = {"first token": OnFirstToken(), "end": OnEnd(), "rejection": OnRejection()}
OF_A_POOL, ALONE = tuple(_OF_A_POOL), tuple(_ALONE)
NAMING = ("request", "register", "claim", "line", "change")

FORMS = (
    "preemption, idle, admission, eviction, rejection, first token, end; preemption kv, request 7, line 48, "
    "register NAME, claim NAME; change EXPRESSION, or any condition such as running.count > 8"
)

VALUE_FORMS = (
    "an expression such as running.count, used(kv) or queued(reqs) / holders(reqs): what a gauge may read, registers by name, "
    "running.… waiting.… batch.… of the engine, now"
)

_OF_ENGINE = re.compile(r"\s*([A-Za-z_]\w*(?:\.\w+)*(?:\[\d+\])?)\s*:\s*(.+)", re.DOTALL)
_REQUEST = re.compile(r"(?:request\s+)?r?(\d+)")


class NoSuchStop(ValueError):
    """A text that names nothing to stop on or to watch.

    Attributes:
        diagnostics: what is wrong with the expression, empty where the text is no expression at all.
        skipped: how many characters of what was typed stand before that expression.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = (), skipped: int = 0) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics
        self.skipped = skipped

    @property
    def caret(self) -> str:
        """What stands under the typed text to point at the piece that is wrong; empty where no piece is."""
        span = self.diagnostics[0].span if self.diagnostics else None
        if span is None:
            return ""
        width = span.end_column - span.column if span.end_line == span.line else 1
        return " " * (self.skipped + span.column - 1) + "^" + "~" * (width - 1)

    @property
    def advice(self) -> str:
        """What to write instead, empty where nobody knows."""
        return self.diagnostics[0].suggestion or "" if self.diagnostics else ""


@dataclass(frozen=True, slots=True)
class Stopping:
    """What can be stopped on in a program.

    Attributes:
        loaded: the program.
        names: what it calls its pools, engines, registers and claims.
    """

    loaded: LoadedProgram
    names: Names

    @classmethod
    def of(cls, loaded: LoadedProgram) -> Stopping:
        """What a program has."""
        program = loaded.program
        names = Names(
            dict(enumerate(map(_member, program.pools))),
            {i: _member(stage) for i, stage in enumerate(program.stages) if isinstance(stage.kind, ir.Step)},
            tuple(register.name for register in program.registers),
            tuple(claim.name for claim in program.claims),
        )
        return cls(loaded, names)

    # ----------------------------------------------------------------- reading

    def stop_named(self, text: str, at_hand: int | None) -> tuple[Breakpoint, ...]:
        """What a text names to stop on.

        Args:
            text: what was typed.
            at_hand: the engine whose values a condition reads that names none.

        Raises:
            NoSuchStop: it names nothing.
        """
        words, typed = text.split(), text
        if not words:
            raise NoSuchStop("nothing is typed yet")
        text = " ".join(words)
        if text in ALONE:
            return (_ALONE[text],)
        first, rest = words[0], " ".join(words[1:])
        if first in OF_A_POOL and (not rest or len(words) == 2):
            return (_OF_A_POOL[first](self._index(rest, "pool", self.names.pools.values()) if rest else None),)
        if first == "idle" and (not rest or len(words) == 2):
            stages = list(self.names.engines)
            return (OnIdle(stages[self._index(rest, "engine", self.names.engines.values())] if rest else None),)
        if match := _REQUEST.fullmatch(text):
            return (OnRequest(int(match[1])),)
        if first in NAMING and rest:
            return self._naming(first, rest, typed, at_hand)
        return (OnCondition(self._value(typed, at_hand, self._about_kind(words))),)

    def value_named(self, text: str, at_hand: int | None) -> Value:
        """The value a text names.

        Args:
            text: an expression, behind ``ENGINE:`` where it reads another engine than the one at hand.
            at_hand: that engine.

        Raises:
            NoSuchStop: it names none.
        """
        if not text.strip():
            raise NoSuchStop("nothing is typed yet")
        return self._value(text, at_hand, None)

    def _naming(self, kind: str, name: str, typed: str, at_hand: int | None) -> tuple[Breakpoint, ...]:
        if kind == "register":
            return (OnRegister(self._index(name, "register", self.names.registers)),)
        if kind == "claim":
            index = self._index(name, "claim", self.names.claims)
            if self.loaded.program.claims[index].kind == "AtEnd":
                raise NoSuchStop(f"the claim {name} is read at the end of a run, and there is no moment to stop at before that")
            return (OnClaim(index),)
        if kind == "line":
            return self._line(name)
        if kind == "change":
            before = len(typed) - len(typed.lstrip().removeprefix(kind))
            return (OnChange(self._value(typed[before:], at_hand, None, before)),)
        raise NoSuchStop(f"{kind} {name} names no request: they have numbers, such as request 7")

    def _line(self, figure: str) -> tuple[Breakpoint, ...]:
        if not figure.isdecimal():
            raise NoSuchStop(f"{figure!r} is no line: they have numbers, such as line 48")
        found = statements_on(self.loaded.places, int(figure))
        if not found:
            lines = sorted({place.line for place in self.loaded.places.schedule.values()})
            there = f"they stand on lines {', '.join(map(str, lines))}" if lines else "this program has no text to find them in"
            raise NoSuchStop(f"no schedule statement stands on line {figure}; {there}")
        return tuple(OnStatement(stage, path) for stage, path in found)

    def _index(self, name: str, kind: str, names: Iterable[str]) -> int:
        there = list(names)
        if name in there:
            return there.index(name)
        near = nearest(name, there)
        hint = f"; did you mean {near}?" if near else f"; there is {', '.join(dict.fromkeys(there))}" if there else ""
        raise NoSuchStop(f"there is no {kind} {name}{hint}")

    def _about_kind(self, words: list[str]) -> str | None:
        """The kind of stop that was probably meant by what is neither one nor an expression."""
        kinds = ("idle", *OF_A_POOL, *ALONE, *NAMING)
        return nearest(" ".join(words), kinds) or nearest(words[0], kinds)

    def _value(self, text: str, at_hand: int | None, meant: str | None, skipped: int = 0) -> Value:
        # Here and not above: an IR opens without the grammar, which costs more than reading it.
        from grammar.conditions import known_of, parse_condition

        program = self.loaded.program
        skipped += len(text) - len(text.lstrip())
        engine, written = at_hand, text.strip()
        match = _OF_ENGINE.fullmatch(written)
        if match is not None:
            stages = list(self.names.engines)
            engine = stages[self._index(match[1], "engine", self.names.engines.values())]
            written = match[2]
            skipped += match.start(2)
        known = self.loaded.known or known_of(program)
        try:
            read = parse_condition(written, program, known, engine)
        except ProgramError as error:
            if meant is not None:
                raise NoSuchStop(f"{text.strip()!r} is no stop; did you mean {meant}?") from None
            raise NoSuchStop(error.diagnostics[0].message, error.diagnostics, skipped) from None
        if not read.of_engine:
            return Value(written, read.expr)
        # With several engines the text says whose values it reads, so that it means the same wherever one looks.
        named = f"{self.names.engines[engine]}: {written}" if engine is not None and len(self.names.engines) > 1 else written
        return Value(named, read.expr, engine)

    # ----------------------------------------------------------------- completing

    def stops(self) -> tuple[str, ...]:
        """Texts of the stops there are, conditions aside, for completion."""
        lines = sorted({place.line for place in self.loaded.places.schedule.values()})
        engines = self.names.engines.values() if len(self.names.engines) > 1 else ()
        claims = (claim.name for claim in self.loaded.program.claims if claim.kind != "AtEnd")
        return (
            *OF_A_POOL[:1],
            "idle",
            *OF_A_POOL[1:],
            *ALONE,
            *(f"{kind} {pool}" for kind in OF_A_POOL for pool in self.names.pools.values()),
            *(f"idle {engine}" for engine in engines),
            *(f"line {line}" for line in lines),
            *(f"register {name}" for name in dict.fromkeys(self.names.registers)),
            *(f"claim {name}" for name in claims),
            *("request ", "change "),
        )

    def values(self) -> tuple[str, ...]:
        """Texts of the values there are, for completion."""
        from grammar.conditions import ENGINE_VALUES, RUN_VALUES

        known = self.loaded.known
        constants = known.constants.values if known is not None else ()
        stages = [_member(stage) for stage in self.loaded.program.stages if not isinstance(stage.kind, ir.Step)]
        return (
            *(ENGINE_VALUES if self.names.engines else ()),
            *(f"{function}({pool})" for pool in self.names.pools.values() for function in ("used", "free", "holders", "queued")),
            *(f"{function}({stage})" for stage in stages for function in ("queue", "busy")),
            *self.names.registers,
            *RUN_VALUES,
            *constants,
        )


_WORD = re.compile(r"[A-Za-z_][\w.\[\]()]*$")


def completed(text: str, whole: Callable[[], tuple[str, ...]], words: Callable[[], tuple[str, ...]]) -> str | None:
    """What a text being typed may become: the first of the whole texts that begins so, else with its last word completed.

    Args:
        text: what stands there.
        whole: texts a person may be typing.
        words: what the last word of an expression may be.
    """
    if not text.strip():
        return None
    for candidate in whole():
        if candidate.startswith(text) and candidate != text:
            return candidate
    match = _WORD.search(text)
    if match is None:
        return None
    for candidate in words():
        if candidate.startswith(match[0]) and candidate != match[0]:
            return text[: match.start()] + candidate
    return None


def _member(what: ir.Pool | ir.Stage) -> str:
    return what.name if what.index is None else f"{what.name}[{what.index}]"

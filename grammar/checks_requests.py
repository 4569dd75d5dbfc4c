"""The rules of a request as it is written, called or not (L6.3 to L6.11); knows no expansion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from grammar import syntax
from grammar.bodies import assignments
from grammar.constants import Constants
from grammar.declarations import Declarations
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import Findings, hint
from grammar.holds import check_moved, names_read
from grammar.names import SCHEDULER_SET, SUPPLIED
from grammar.paths import always_set
from grammar.requests import Request
from grammar.scopes import Engine, Model
from grammar.source import Span
from grammar.values import check_indices, check_known, in_terms, taking_amounts, values_read
from grammar.vocabulary import LISTS, POOL_FUNCTIONS, STAGE_FUNCTIONS


@dataclass(slots=True)
class RequestRules:
    """Checks one request."""

    to: Declarations
    engine: Engine
    request: Request
    session: frozenset[str]
    hidden: frozenset[str]
    own: dict[str, Span] = field(default_factory=dict)

    @property
    def findings(self) -> Findings:
        """Where errors are told."""
        return self.to.findings

    @property
    def model(self) -> Model:
        """The program's names."""
        return self.to.model

    @property
    def constants(self) -> Constants:
        """The program's constants."""
        return self.to.constants

    def check(self) -> None:
        """Every rule that can be told from the text of the request and its ``taking``."""
        request = self.request
        for name in assignments(request.decl):
            self.own.setdefault(name.text, name.span)
        self._parameters()
        self._own_names()
        if self.engine.taking_wrong:
            return
        self._without_taking()
        self._taking()
        if self.engine.taking is not None or (self.request.admission is None and self.request.cache is None):
            self._pools()
        self._conversions()
        self._reads()
        self._moved()

    # ------------------------------------------------------------------ names

    def _parameters(self) -> None:
        seen: dict[str, Span] = {}
        for param in self.request.decl.params:
            text = param.text
            if text in seen:
                self.findings.error(
                    "E1002",
                    param.span,
                    f"`{text}` is a parameter twice",
                    Note("the first is here", seen[text]),
                    suggestion="rename one",
                )
            elif text in self.engine.states:
                self.findings.error(
                    "E1031",
                    param.span,
                    f"`{text}` is a register of engine `{self.engine.name}` and cannot name a parameter of its request",
                    Note("the register is declared here", self.engine.states[text].name.span),
                    suggestion="rename the parameter",
                )
            elif text in SUPPLIED or text == "self":
                self.findings.error("E1009", param.span, f"`{text}` is a name the language supplies and cannot name a parameter")
            seen.setdefault(text, param.span)
        for text, span in self.own.items():
            if text in seen:
                self.findings.error(
                    "E1009",
                    span,
                    f"`{text}` is a parameter, which stands for the argument and cannot be assigned",
                    Note("the parameter is here", seen[text]),
                    suggestion="assign another name",
                )

    def _own_names(self) -> None:
        """A name is a constant's, a binding's or one the request sets, never two of these (L6.7)."""
        bound = {b.name.text: b.name.span for b in self.request.bindings or ()}
        for text, span in self.own.items():
            if text in self.constants.where:
                self.findings.error(
                    "E1009",
                    span,
                    f"`{text}` is a constant of the program and cannot be assigned in a request",
                    Note("the constant is declared here", self.constants.where[text]),
                    suggestion="rename one of them",
                )
        for statement in (*self.request.before, *self.request.admitted):
            for name in assignments(statement):
                if name.text in bound:
                    self.findings.error(
                        "E1009",
                        bound[name.text],
                        f"`{name.text}` is bound at admission and assigned by a statement: `at admission` says what a name is once",
                        Note("it is assigned here", name.span),
                        suggestion="rename one of them",
                    )

    # ------------------------------------------------------------------ taking

    def _without_taking(self) -> None:
        if self.engine.taking is not None:
            return
        request = self.request
        for item, word in ((request.admission, "`at admission`"), (request.cache, "`cache (…)`")):
            if item is not None:
                self.findings.error(
                    "E1011",
                    item.span,
                    f"{word} is of an admission, and this request takes nothing at one",
                    suggestion="admit waiting … taking POOL (units);  in the schedule",
                )

    def _capacities(self) -> set[str]:
        engine = self.engine
        return {n for n, c in engine.capacities.items() if c.lanes is None} | set(engine.device.capacities)

    def _taking(self) -> None:
        """``taking`` names capacities of the engine or its device, each once and without an index (L6.4)."""
        taking = self.engine.taking
        if taking is None:
            return
        seen: dict[str, Span] = {}
        there = self._capacities()
        for take in taking.takes:
            text = take.pool.text
            if text in seen:
                self.findings.error(
                    "E1030", take.pool.span, f"`taking` names `{text}` twice", Note("the first is here", seen[text])
                )
            elif take.pool.index is not None or text not in there:
                lanes = text in self.engine.capacities and self.engine.capacities[text].lanes is not None
                why = (
                    f"`{text}` is {self.engine.capacities[text].lanes} queues, and `taking` picks none"
                    if lanes
                    else f"`taking` takes capacities of engine `{self.engine.name}` and its device, by their names: "
                    + (", ".join(f"`{c}`" for c in sorted(there)) or "there are none")
                )
                self.findings.error("E1030", take.pool.span, why, suggestion=hint(text, there))
            seen.setdefault(text, take.pool.span)
        first = taking.takes[0].pool.text
        if first in self.engine.device.capacities and first in self.model.pools and self.model.pools[first].admitted_by is None:
            self.findings.warning(
                "E1502",
                taking.takes[0].pool.span,
                f"requests wait for `{first}`, which is on the device and admitted as soon as it fits, not by the schedule",
                suggestion="name a capacity of the engine first, or put the pool on ENGINE.DEVICE",
            )

    def _taken(self) -> set[str]:
        return set() if self.engine.taking is None else {t.pool.text for t in self.engine.taking.takes}

    def _pools(self) -> None:
        """A request holds, grows and loads only what its ``taking`` takes (L6.4)."""
        taken = self._taken()
        if taken - self._capacities():
            return  # one of them is misspelt, which is told already, and may be what is missing
        for node in walk(self.request.decl):
            refs: tuple[syntax.Ref, ...] = ()
            if isinstance(node, syntax.Hold):
                refs = tuple(t.pool for t in node.takes)
            elif isinstance(node, syntax.Grow | syntax.Load | syntax.Drop):
                refs = (node.pool,)
            elif isinstance(node, syntax.ModeRun | syntax.Run) and node.growing is not None:
                refs = (node.growing,)
            for ref in refs:
                if ref.text not in taken:
                    self.findings.error(
                        "E1029",
                        ref.span,
                        f"a request uses the pools it was admitted with, and its `taking` does not take `{ref.text}`",
                        suggestion=hint(ref.text, taken) or f"taking …, {ref.text} (units)  on `admit waiting`",
                    )

    def _conversions(self) -> None:
        """What a request converts by itself takes plain numbers (L6.11)."""
        for amount in self._converted():
            for node in walk(amount):
                if isinstance(node, syntax.CallExpr) and node.ref.text == "cost":
                    self.findings.error(
                        "E1023",
                        node.ref.span,
                        "a request's amounts are converted for it: this one is a plain number",
                        suggestion="drop `cost(…)`",
                    )

    def _converted(self) -> Iterator[syntax.Expr]:
        taking = self.engine.taking
        if taking is not None:
            for take in taking.takes:
                yield take.units
                if take.reserve is not None:
                    yield take.reserve
            if taking.reuse is not None:
                yield taking.reuse
        if self.request.cache is not None:
            yield self.request.cache.value
        for node in walk(self.request.decl):
            if isinstance(node, syntax.ModeRun):
                yield node.work

    # ------------------------------------------------------------------ reads

    def _reads(self) -> None:
        engine = self.engine
        params = {p.text for p in self.request.decl.params}
        check_indices(self.findings, self.request.decl, {*params, *self.own}, f"engine `{engine.name}`'s request")
        pools = self._capacities() | set(engine.capacities)
        for statement in (*self.request.before, *self.request.admitted):
            self._body_reads(statement, params, pools)
        if self.request.cache is not None:
            self._body_reads(self.request.cache, params, pools)
        self._header_reads(params, pools)

    def _body_reads(self, node: syntax.Node, params: set[str], pools: set[str]) -> None:
        for read in values_read(node):
            text = read.text
            if text in params or read.names[0].text in self.own or text in SCHEDULER_SET or text in self.hidden:
                continue
            if text in self.session:
                self._session_name(read)
            elif text in self.engine.marks:
                self._own_mark(read)
            elif text in self.engine.states:
                self.findings.error(
                    "E614",
                    read.span,
                    f"the register `{text}` is read in `taking` and the bindings, not in a request's statements",
                    suggestion="bind it at admission",
                )
            else:
                check_known(self.to, read, (*params, *self.own))
        self._functions(node, params, pools)

    def _moved(self) -> None:
        """The admitted statements read bindings of attributes and constants only (L6.9)."""
        bindings = self.request.bindings or ()
        read = {name for statement in self.request.admitted for name in names_read(statement)}
        live = frozenset({"cached", "now", *self.model.registers})
        params = {p.text for p in self.request.decl.params}
        check_moved(self.findings, bindings, in_terms(bindings), read, live - params)

    def _own_mark(self, read: syntax.Ref) -> None:
        self.findings.error(
            "E1020",
            read.span,
            f"`{read.text}` is a mark of this request, set inside it and read outside it only",
            suggestion="set a name to `now`",
        )

    def _session_name(self, read: syntax.Ref) -> None:
        self.findings.error(
            "E1028",
            read.span,
            f"`{read.text}` is the session's, and engine `{self.engine.name}`'s request sees its parameters, "
            "its own names and hidden attributes",
            suggestion=f"request (…, {read.text}) and {self.engine.name} (…, {read.text});",
        )

    def _functions(self, node: syntax.Node, params: set[str], pools: set[str]) -> None:
        """The pools and stages a request reads are its engine's (E1032); a parameter names none (L6.10)."""
        for call in walk(node):
            if not isinstance(call, syntax.CallExpr) or not call.args or not isinstance(call.args[0], syntax.NameExpr):
                continue
            ref, function = call.args[0].ref, call.ref.text
            pool = function in POOL_FUNCTIONS or function == "blocksize"
            if not pool and function not in STAGE_FUNCTIONS:
                continue
            text = ref.text
            if text in params:
                self.findings.error(
                    "E508",
                    call.ref.span,
                    f"`{function}` takes a name of the engine's own, and the parameter `{text}` stands for a number",
                )
            elif text not in pools if pool else text != self.engine.name:
                self.findings.error(
                    "E1032",
                    ref.span,
                    f"`{text}` is no {'pool' if pool else 'stage'} of engine `{self.engine.name}`: a request reads its own",
                    suggestion=hint(text, pools if pool else [self.engine.name]) or "pass the value as a parameter",
                )

    def _header_reads(self, params: set[str], pools: set[str]) -> None:
        """``taking`` and the bindings are read at admission, before what the admitted statements set (L6.8)."""
        before = always_set(self.request.before)
        bound: set[str] = set()
        for binding in self.request.bindings or ():
            self._header(binding.value, params, before | bound | {b.name.text for b in self.request.bindings or ()}, pools)
            bound.add(binding.name.text)
        taking = self.engine.taking
        if taking is None:
            return
        for expr in taking_amounts(taking):
            self._header(expr, params, before | bound, pools)

    def _header(self, expr: syntax.Expr, params: set[str], known: set[str], pools: set[str]) -> None:
        for read in values_read(expr):
            text = read.text
            first = read.names[0].text
            if first in LISTS and len(read.names) > 1:
                self.findings.error(
                    "E1024", read.span, f"`{text}` is read as an iteration is planned, and this is read at each admission"
                )
            elif text in params or text in known or text in SCHEDULER_SET:
                continue
            elif text in self.engine.marks:
                self._own_mark(read)
            elif text in self.own:
                self.findings.error(
                    "E1025",
                    read.span,
                    f"`{text}` is set only after the admission, or not on every path before it: there it would be 0",
                    Note("it is set here", self.own[text]),
                    suggestion="set it above `at admission`",
                )
            elif text in self.hidden:
                self.findings.error(
                    "E613",
                    read.span,
                    f"`{text}` is hidden from the scheduler, and what is taken at admission is the scheduler's business",
                )
            elif text in self.session:
                self._session_name(read)
            elif text == "now":
                self.findings.error(
                    "E1028",
                    read.span,
                    "the clock moves while a request waits: `now` cannot be read at its admission",
                    suggestion="pass it as a parameter",
                )
            else:
                check_known(self.to, read, (*params, *self.own))
        self._functions(expr, params, pools)

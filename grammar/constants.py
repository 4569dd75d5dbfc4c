"""Constants and inputs: what a ``let`` is worth (L3.11 to L3.17); knows no pools, no stages and no statements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

from grammar import syntax
from grammar.arithmetic import OPERATORS, PURE
from grammar.declaring import dataclass
from grammar.diagnostics import Note, ProgramError
from grammar.expansion import walk
from grammar.findings import Findings, are_given
from grammar.homes import FUNCTION_FORMS
from grammar.names import FUNCTIONS, nearest
from grammar.parser import parse_expression
from grammar.source import Source, Span
from grammar.vocabulary import POOL_FUNCTIONS, STAGE_FUNCTIONS

MOST_TERMS = 4096
"""How many terms the aggregates of a program may write out (L9.5)."""


class NotConstant(Exception):
    """Evaluation met something that is no constant; carries what to say about it."""

    def __init__(self, code: str, span: Span, message: str, *notes: Note, suggestion: str | None = None) -> None:
        self.code, self.span, self.message, self.notes, self.suggestion = code, span, message, notes, suggestion
        super().__init__(message)


@dataclass(slots=True)
class Input:
    """A declared input (L3.15): its outside name, its constant's, its default and the value it has in this program."""

    name: str
    local: str
    span: Span
    default: float
    value: float
    supplied: bool


@dataclass(slots=True)
class Constants:
    """The constants so far, in the order of the text.

    ``values`` has what is in force, ``defaults`` what would be without the host's values: the
    checks of the text alone go by the latter (L3.17). ``supplied`` names those that depend on
    a value from the host, ``wrong`` those told to be none. ``where`` has the place of the last ``let`` of each name.
    """

    findings: Findings
    values: dict[str, float] = field(default_factory=dict)
    defaults: dict[str, float] = field(default_factory=dict)
    supplied: set[str] = field(default_factory=set)
    where: dict[str, Span] = field(default_factory=dict)
    inputs: dict[str, Input] = field(default_factory=dict)
    later: dict[str, Span] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)
    terms: int = 0

    # ------------------------------------------------------------------ evaluation

    def evaluate(self, expr: syntax.Expr, indices: Mapping[str, float] | None = None, *, by_default: bool = False) -> float:
        """The number a constant expression stands for.

        Raises:
            NotConstant: something in it is no constant.
        """
        return _Evaluation(self, self.defaults if by_default else self.values, indices or {}).value(expr)

    def maybe(self, expr: syntax.Expr, indices: Mapping[str, float] | None = None) -> float | None:
        """The number, or None where the expression is no constant."""
        try:
            return self.evaluate(expr, indices)
        except NotConstant:
            return None

    def number(self, expr: syntax.Expr) -> float | None:
        """The number of a constant position (L3.13); None after telling why there is none."""
        try:
            value = self.evaluate(expr)
        except NotConstant as why:
            self.findings.error(why.code, why.span, why.message, *why.notes, suggestion=why.suggestion)
            return None
        if math.isnan(value):
            if any(isinstance(n, syntax.Ref) and n.text in self.wrong for n in walk(expr)):
                return None  # told already, where the constant that is no number is declared
            self.findings.error("E307", expr.span, "this constant is not a number (0 / 0, inf - inf or the like)")
            return None
        return value

    def depends_on_host(self, expr: syntax.Expr) -> str | None:
        """The first constant in the expression whose value comes from the host."""
        for node in walk(expr):
            if isinstance(node, syntax.Ref) and len(node.names) == 1 and node.names[0].text in self.supplied:
                return node.names[0].text
        return None

    def count_of(self, over: syntax.Over, value: float) -> int:
        """How many terms an aggregate writes out (L9.5).

        Raises:
            NotConstant: the count is not a whole number above 0, or the program's aggregates become too many terms.
        """
        if not (1 <= value < math.inf and value == math.floor(value)):
            raise NotConstant(
                "E512",
                over.span,
                f"`{over.agg}` runs over {value:g} terms, and the number of terms is whole and above 0",
                Note("the count is here", over.count.span),
            )
        self.terms += int(value)
        if self.terms > MOST_TERMS:
            raise NotConstant(
                "E512",
                over.span,
                f"with this one the aggregates of the program write out {self.terms} terms, and the most is {MOST_TERMS}",
            )
        return int(value)

    # ------------------------------------------------------------------ lets

    def let(self, decl: syntax.Let) -> None:
        """Take in ``let NAME = e;``: a later one of the name replaces the earlier (L3.12)."""
        name = decl.name.text
        value = self.number(decl.value)
        if value is None:
            value = math.nan  # told already; what reads it must not be told again
        try:
            default = self.evaluate(decl.value, by_default=True)
        except NotConstant:
            default = value
        self._define(decl, name, value, default, self.depends_on_host(decl.value) is not None)

    def unknown(self, decl: syntax.Let) -> None:
        """Take in a constant whose initializer has been told to be wrong: what reads it is not told again."""
        self._define(decl, decl.name.text, math.nan, math.nan, supplied=False)

    def _define(self, decl: syntax.Let, name: str, value: float, default: float, supplied: bool) -> None:
        if math.isnan(value):
            self.wrong.add(name)
        if name in self.values:
            self.findings.warning(
                "E1501",
                decl.name.span,
                f"this `let {name}` replaces an earlier one, also for what was written before it",
                Note("the earlier one is here", self.where[name]),
                suggestion="give one of them another name",
            )
        self.values[name], self.defaults[name], self.where[name] = value, default, decl.name.span
        if supplied:
            self.supplied.add(name)
        else:
            self.supplied.discard(name)

    def input(self, decl: syntax.Let, name: str, span: Span, default: syntax.Expr, given: float | str | None) -> None:
        """Take in ``let x = args.number("name", default);`` with the host's value, if any (L3.15 to L3.17)."""
        written = self.number(default) if given is None else self.maybe(default)
        fallback = math.nan if written is None else written
        value = fallback if given is None else self._given(name, given)
        self.inputs[name] = Input(name, decl.name.text, span, fallback, value, given is not None)
        self._define(decl, decl.name.text, value, fallback, given is not None or self.depends_on_host(default) is not None)

    def _given(self, name: str, given: float | str) -> float:
        """The host's value of an input, E316 where it is none; the error has no place in the program (L13.7)."""
        told = f"the value `{given}` of the input `{name}`"
        value = math.nan
        if isinstance(given, str):
            try:
                value = self.evaluate(parse_expression(Source(f"--set {name}", given)))
            except ProgramError as error:
                why_not = error.diagnostics[0].message
                self.findings.error("E316", None, f"{told} is no expression: {why_not}", suggestion=f"--set {name}=1")
                return math.nan
            except NotConstant as why:
                self.findings.error("E316", None, f"{told} is no constant: {why.message}", suggestion=f"--set {name}=1")
                return math.nan
        else:
            value = float(given)
        if math.isnan(value):
            self.findings.error("E316", None, f"{told} is not a number", suggestion=f"--set {name}=1")
        return value


class _Evaluation:
    """One walk over a constant expression."""

    def __init__(self, constants: Constants, values: Mapping[str, float], indices: Mapping[str, float]) -> None:
        self.constants = constants
        self.values = values
        self.indices = dict(indices)

    def value(self, e: syntax.Expr) -> float:
        if isinstance(e, syntax.Number):
            return e.value
        if isinstance(e, syntax.NameExpr):
            return self._name(e)
        if isinstance(e, syntax.Binary):
            return self._binary(e)
        if isinstance(e, syntax.Unary):
            inner = self.value(e.operand)
            return -inner if e.op == "-" else float(inner == 0)
        if isinstance(e, syntax.Conditional):
            return self.value(e.then if self.value(e.test) != 0 else e.orelse)
        if isinstance(e, syntax.CallExpr):
            return self._call(e)
        if isinstance(e, syntax.Over):
            return self._over(e)
        raise NotConstant(
            "E309",
            e.dist.span,
            "a constant is one number and cannot draw",
            suggestion=f"write `~{e.dist.text}(…)` where the draw is used",
        )

    def _binary(self, e: syntax.Binary) -> float:
        left, right = self.value(e.left), self.value(e.right)
        if e.op == "&&":
            return float(left != 0 and right != 0)
        if e.op == "||":
            return float(left != 0 or right != 0)
        return OPERATORS[e.op](left, right)

    def _name(self, e: syntax.NameExpr) -> float:
        ref = e.ref
        text = ref.text
        if len(ref.names) == 1 and ref.index is None:
            if text in self.indices:
                return self.indices[text]
            if text in self.values:
                return self.values[text]
            if text == "inf":
                return math.inf
        later = self.constants.later.get(text)
        if later is not None and text not in self.values:
            raise NotConstant(
                "E308",
                ref.span,
                f"`{text}` is read here before it is declared: a constant reads those above it",
                Note(f"`{text}` is declared here", later),
                suggestion=f"move `let {text}` above this",
            )
        near = nearest(text, self.values)
        notes = () if near is None else (Note(f"`{near}` is declared here", self.constants.where[near]),)
        raise NotConstant(
            "E308",
            ref.span,
            f"`{text}` is no constant, and a constant is read here",
            *notes,
            suggestion=None if near is None else f"did you mean `{near}`?",
        )

    def _call(self, e: syntax.CallExpr) -> float:
        name = e.ref.text
        pure = PURE.get((name, len(e.args)))
        if pure is not None and len(e.ref.names) == 1:
            return pure(*(self.value(_plain(a)) for a in e.args))
        raise self._no_call(e, name)

    def _no_call(self, e: syntax.CallExpr, name: str) -> NotConstant:
        span = e.ref.span
        if name == "blocksize":
            return NotConstant(
                "E310", span, "`blocksize` cannot be read in a constant", suggestion="name the block's number with a `let`"
            )
        if name in STAGE_FUNCTIONS or name in POOL_FUNCTIONS:
            return NotConstant("E310", span, f"`{name}` is read while the program runs, and a constant is one number")
        if name in FUNCTIONS and name != "cost":
            return NotConstant("E507", span, f"`{name}` takes {_count(name)}, and {are_given(len(e.args))}")
        if name == "cost":
            return NotConstant("E310", span, "a constant is a plain number, not a cost")
        if name == "pow":
            return NotConstant("E416", span, "`pow` is written `x ^ y` today", suggestion="x ^ y")
        near = nearest(name, FUNCTIONS)
        return NotConstant(
            "E415",
            span,
            f"there is no function and no definition `{name}`",
            suggestion=FUNCTION_FORMS.get(name, None if near is None else f"did you mean `{near}`?"),
        )

    def _over(self, e: syntax.Over) -> float:
        other = self.constants.later.get(e.var.text)
        if other is not None:
            raise NotConstant(
                "E511",
                e.span,
                f"the index `{e.var.text}` of this aggregate is also a constant",
                Note("the constant is declared here", other),
                suggestion="give the index a name of its own",
            )
        count = self.constants.count_of(e, self.value(e.count))
        before = self.indices.get(e.var.text)
        terms = []
        for j in range(count):
            self.indices[e.var.text] = float(j)
            terms.append(self.value(e.body))
        if before is None:
            self.indices.pop(e.var.text, None)
        else:
            self.indices[e.var.text] = before
        total = terms[0]
        fold = OPERATORS["+"] if e.agg == "sum" else PURE[(e.agg, 2)]
        for term in terms[1:]:
            total = fold(total, term)
        return total


def _plain(arg: syntax.Expr | syntax.String | syntax.Named) -> syntax.Expr:
    if isinstance(arg, syntax.String):
        raise NotConstant("E105", arg.span, "a text cannot stand here; `args.number` alone takes one")
    return arg.value if isinstance(arg, syntax.Named) else arg


def _count(name: str) -> str:
    counts = sorted(n for known, n in PURE if known == name)
    words = " or ".join(str(n) for n in counts)
    return f"{words} argument{'' if counts == [1] else 's'}"

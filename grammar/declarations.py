"""Takes in a program's items in their order: which names there are and what they name; knows no statements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from grammar import syntax
from grammar.constants import Constants
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import Findings, hint
from grammar.names import BUILT_IN, DISTRIBUTIONS, FUNCTIONS, RETIRED, SUPPLIED, WORDS
from grammar.scopes import Model, Pool, Stage
from grammar.settings import Settings
from grammar.source import Span
from grammar.vocabulary import HOST_OPTIONS, RETIRED_TODAY

LARGEST_FAMILY = 10_000
"""The most members a family may have (L3.14)."""

ARGS = "std/args"
KVT = "std/kvt"


@dataclass(slots=True)
class Parts:
    """The items that are not the deployment, as written, with the place of each among the items."""

    workload: syntax.Workload | None = None
    workload_order: int = 0
    server: syntax.Server | None = None
    server_order: int = 0
    share: syntax.ShareDecl | None = None
    relations: list[syntax.Relation] = field(default_factory=list)
    gauges: list[syntax.GaugeDecl] = field(default_factory=list)
    claims: list[syntax.ClaimDecl] = field(default_factory=list)
    uses: set[str] = field(default_factory=set)


class Declarations:
    """The table of names under construction, shared by the modules that take in one kind of item each.

    ``broken`` names the devices, engines and queues that were told to be wrong, so that what
    stands on them is not told again; ``misplaced`` are inputs that stand where none may.
    """

    def __init__(self, findings: Findings, model: Model, constants: Constants, sets: Mapping[str, float | str]) -> None:
        self.findings = findings
        self.model = model
        self.constants = constants
        self.sets = sets
        self.parts = Parts()
        self.order = 0
        self.broken: set[str] = set()
        self.misplaced: set[str] = set()

    # ------------------------------------------------------------------ names

    def claim(self, kind: str, name: syntax.Name, shown: str | None = None) -> bool:
        """Give a name to one thing (L3.5); False where it is taken, after telling so."""
        text = shown or name.text
        taken = self.model.declared.get(text)
        if taken is None:
            self.model.declared[text] = (kind, name.span)
            return True
        other, where = taken
        code = {"gauge": "E1204", "claim": "E1204", "device": "E801", "engine": "E801"}.get(kind, "E501")
        if kind == other:
            code = "E1204" if kind in ("gauge", "claim") else "E501"
        elif "definition" in (kind, other):
            code = "E414"
        elif "constant" in (kind, other):
            code = "E311"
        self.findings.error(
            code,
            name.span,
            f"`{text}` is {_article(other)} already, and a name stands for one thing",
            Note(f"the {other} `{text}` is declared here", where),
            suggestion="rename one of them",
        )
        return False

    def fit(self, kind: str, name: syntax.Name, code: str, *, words: bool, functions: bool) -> bool:
        """Whether a word may name something of this kind (L1.9)."""
        text = name.text
        if not words and text in WORDS:
            self.findings.error(code, name.span, f"`{text}` is a word of the language and cannot name {_article(kind)}")
        elif not functions and (text in FUNCTIONS or text in DISTRIBUTIONS):
            self.findings.error(code, name.span, f"`{text}` is a function of the language and cannot name {_article(kind)}")
        elif text in SUPPLIED:
            code = "E312" if code in ("E501", "E311", "E312", "E1204") else code
            self.findings.error(
                code,
                name.span,
                f"`{text}` is a name the language supplies and cannot name {_article(kind)}",
                suggestion="rename it",
            )
        elif text in BUILT_IN:
            code = "E311" if code == "E501" else code
            self.findings.error(code, name.span, f"`{text}` is a built-in attribute and cannot name {_article(kind)}")
        elif text in RETIRED and code in ("E311", "E401"):
            self.findings.error(
                "E416", name.span, f"`{text}` is a retired word and names nothing: today it is `{RETIRED_TODAY[text]}`"
            )
        else:
            return True
        return False

    def size(self, expr: syntax.Expr | None) -> int | None:
        """The number of members written in ``[N]``, None without one (L3.14)."""
        if expr is None:
            return None
        supplied = self.constants.depends_on_host(expr)
        if supplied is not None:
            self.findings.error(
                "E314",
                expr.span,
                f"a family's size is fixed when the text is read, and `{supplied}` depends on an input given from outside",
                suggestion="write the number here, or leave the input at its default",
            )
            return 1
        value = self.constants.number(expr)
        if value is None:
            return 1
        if not (1 <= value <= LARGEST_FAMILY and value == math.floor(value)):
            self.findings.error(
                "E313", expr.span, f"a family has a whole number of members from 1 to {LARGEST_FAMILY:,}; this is {value:g}"
            )
            return 1
        return int(value)

    # ------------------------------------------------------------------ lets and inputs

    def lets(self, items: Iterable[syntax.Item]) -> None:
        """Note where each constant is declared, so that one read too early is told from one that is not there."""
        for item in items:
            if isinstance(item, syntax.Let):
                self.constants.later[item.name.text] = item.name.span

    def let(self, item: syntax.Let, *, in_main: bool) -> None:
        """Take in a constant, or an input where the initializer is ``args.number("name", default)`` (L3.15)."""
        name = item.name
        already = self.model.declared.get(name.text)
        if already is None or already[0] != "constant":
            if not self.fit("constant", name, "E312", words=name.text != "admit", functions=True):
                return
            if not self.claim("constant", name):
                return
        self.model.declared[name.text] = ("constant", name.span)
        call = item.value
        told = len(self.findings.errors)
        self.stray_inputs(n for n in walk(call) if n is not call)
        if len(self.findings.errors) > told:
            self.constants.unknown(item)
        elif isinstance(call, syntax.CallExpr) and _is_args(call.ref):
            self._input(item, call, in_main)
        else:
            self.constants.let(item)

    def _input(self, item: syntax.Let, call: syntax.CallExpr, in_main: bool) -> None:
        if not self._args_call(call):
            return
        if not in_main:
            self.misplaced.update((item.name.text, *(a.value for a in call.args[:1] if isinstance(a, syntax.String))))
            self.findings.error(
                "E302",
                call.ref.span,
                "an input is declared inside `main`, not above it",
                suggestion=f"move `let {item.name.text} = args.number(…);` into `fn main() {{ … }}`",
            )
            return
        if len(call.args) != 2 or not isinstance(call.args[0], syntax.String):
            self.findings.error(
                "E507",
                call.args[0].span if call.args else call.span,
                "`args.number` takes the input's name in quotes and its default",
                suggestion=f'args.number("{item.name.text}", 1)',
            )
            return
        name, default = call.args[0], call.args[1]
        assert isinstance(name, syntax.String)
        if isinstance(default, syntax.String | syntax.Named):
            self.findings.error("E507", default.span, "the default of an input is a number")
            return
        if not name.value.isidentifier() or not name.value.isascii():
            self.findings.error(
                "E305",
                name.span,
                f'"{name.value}" is no name an input can have: letters, digits and `_`',
                suggestion=_legal(name.value),
            )
        elif name.value in HOST_OPTIONS:
            self.findings.error(
                "E317",
                name.span,
                f"`{name.value}` is an option of the run and cannot name an input",
                suggestion=f'args.number("{name.value}_", …)',
            )
        elif name.value in self.constants.inputs:
            first = self.constants.inputs[name.value].span
            self.findings.error(
                "E304",
                name.span,
                f"the input `{name.value}` is declared twice",
                Note("it is first declared here", first),
                suggestion="read it once and use that constant in both places",
            )
        else:
            self.constants.input(item, name.value, name.span, default, self.sets.get(name.value))

    def _args_call(self, call: syntax.CallExpr) -> bool:
        if ARGS not in self.parts.uses:
            self.findings.error(
                "E301",
                call.ref.span,
                f'`{call.ref.text}` needs `use "{ARGS}";` at the top of the program',
                suggestion=f'use "{ARGS}";',
            )
            return False
        if call.ref.text != "args.number":
            self.findings.error(
                "E303",
                call.ref.span,
                f"`{call.ref.text}` is no function of `args`, which has `number` alone",
                suggestion="args.number",
            )
            return False
        return True

    def stray_inputs(self, expr: Iterable[syntax.Node]) -> None:
        """Tell of every ``args.…`` that is not the whole initializer of a ``let`` in ``main`` (E301 to E303)."""
        for node in expr:
            if isinstance(node, syntax.CallExpr) and _is_args(node.ref) and self._args_call(node):
                self.findings.error(
                    "E302",
                    node.ref.span,
                    "an input is the whole initializer of a `let` in `main`",
                    suggestion='let x = args.number("x", 1);  and compute with `x` from there',
                )

    def named_args(self) -> None:
        """With std/args no declaration is called as it is (E305); a device is, to the reference."""
        kind, span = self.model.declared.get("args", ("", None))
        if "std/args" in self.parts.uses and span is not None and kind not in ("gauge", "claim", "device"):
            message = f"`args` is what `std/args` supplies, and no {kind} can be called so"
            self.findings.error("E305", span, message, suggestion="rename it, such as `args_`")

    def unknown_inputs(self, settings: Settings) -> None:
        """Values the host gives for inputs the program does not declare (E315); no place in the program."""
        for name in settings.sets:
            if name in self.constants.inputs or name in self.misplaced:
                continue
            there = ", ".join(f"`{n}`" for n in self.constants.inputs) or "none"
            behind = next((i.name for i in self.constants.inputs.values() if i.local == name), None)
            plain = ""
            if name in self.constants.values:
                plain = " (it is a plain `let`, no input)" if behind is None else f" (it is the constant of the input `{behind}`)"
            message = f"the program declares no input `{name}`{plain}; its inputs are: {there}"
            help_ = hint(name, self.constants.inputs) if behind is None else f"did you mean `{behind}`?"
            self.findings.outside("E315", settings.written.get(f"let {name}"), message, help_)

    def definition(self, item: syntax.Def) -> None:
        """Take in the name of a definition; its own rules are checked where definitions are."""
        taken = self.model.declared.get(item.name.text)
        if taken is None or taken[0] != "definition":
            self.claim("definition", item.name)

    def measured(self, kind: str, name: syntax.Name) -> None:
        """Take in the name of a gauge or a claim (L3.5)."""
        words = kind == "gauge" or name.text != "admit"
        if self.fit(kind, name, "E1204", words=words, functions=True):
            self.claim(kind, name)

    # ------------------------------------------------------------------ pools and stages

    def pool_family(self, decl: syntax.Pool, name: str, size: int | None) -> Pool:
        """A new family of pools with its options (L4.1)."""
        pool = Pool(name, self.model.pool_count, size or 1, size is not None, decl.name.span, self.order, decl=decl)
        self.model.pool_count += pool.count
        self.model.pools.setdefault(name, pool)
        for option in decl.options:
            if option.kind in pool.options:
                self.findings.warning(
                    "E222",
                    option.span,
                    f"`{option.kind.replace('_', ' ')}` is written twice in pool `{name}`; the last one counts",
                    Note("the first is here", pool.options[option.kind].span),
                )
            pool.options[option.kind] = option
        if "admit_via" in pool.options:
            self.findings.error(
                "E704",
                pool.options["admit_via"].span,
                "who admits a pool is said where the pool is, not by `admit via`",
                suggestion=f"pool {decl.name.text} on ENGINE {{ … }}, on ENGINE.DEVICE or on DEVICE",
            )
        return pool

    def stage_family(self, name: str, span: Span, size: int | None) -> Stage:
        """A new family of stages, numbered from where it is declared (L11.4)."""
        stage = Stage(name, self.model.stage_count, size or 1, size is not None, span, self.order)
        self.model.stage_count += stage.count
        self.model.stages.setdefault(name, stage)
        return stage

    def plain_pool(self, decl: syntax.Pool) -> None:
        """``pool NAME [N] { … }`` that is on nothing."""
        if not self.fit("pool", decl.name, "E501", words=True, functions=True):
            return
        size = self.size(decl.size)
        if self.claim("pool", decl.name):
            self.pool_family(decl, decl.name.text, size)

    def plain_stage(self, decl: syntax.Stage) -> None:
        """Take in ``stage NAME [N] : kind;``."""
        if not self.fit("stage", decl.name, "E501", words=True, functions=True):
            return
        size = self.size(decl.size)
        if self.claim("stage", decl.name):
            stage = self.stage_family(decl.name.text, decl.name.span, size)
            stage.kind = decl.kind


def _is_args(ref: syntax.Ref) -> bool:
    return len(ref.names) > 1 and ref.names[0].text == "args"


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeio" else f"a {kind}"


def _legal(name: str) -> str | None:
    legal = "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_")
    return f'"{legal}"' if legal.isidentifier() else None

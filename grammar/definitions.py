"""Definitions: their checks, and putting their bodies in place of their uses (L3.19 to L3.27); knows no pools and stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import cast

from grammar import syntax
from grammar.bodies import assigned_by, assignments, check_parameters, kind_of_word, live_read, names_read
from grammar.declaring import dataclass
from grammar.diagnostics import Note, ProgramError
from grammar.expansion import Substitution, Use, children, from_host, rebuilt, walk
from grammar.findings import Findings, hint
from grammar.parser import parse_expression
from grammar.source import Source, Span
from grammar.weights import Body, weigh

MOST_TOKENS = 100_000
"""How much a program's definitions and calls may write out (L3.27)."""


@dataclass(slots=True)
class Definition:
    """A definition; ``number`` is its place among them, and it sees those before it (L3.21).

    Of its body put in place: how often it ``reads`` each parameter, what is ``assigned`` in it, and which names stand in it
    where a pool or a stage is ``named``.
    """

    decl: syntax.Def
    number: int
    replaced: bool = False
    expanded: syntax.Expr | syntax.Block | None = None
    reads: Counter[str] = field(default_factory=Counter)
    assigned: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.decl.name.text

    @property
    def is_statements(self) -> bool:
        """Whether its body is statements."""
        return isinstance(self.decl.body, syntax.Block)


class Definitions:
    """The definitions of a program, with the expansion of their uses.

    ``dropped`` are the arguments that stand nowhere in the result, whose names are still looked up (L3.24), ``latest`` is the
    use that was put in place last.
    """

    def __init__(self, findings: Findings, items: Sequence[syntax.Item], overrides: Mapping[str, str]) -> None:
        self.findings = findings
        self.all: dict[str, Definition] = {}
        self.visible = 0
        self.dropped: list[syntax.Expr] = []
        self.latest: Span | None = None
        self._written = 0
        self._inside = 0
        self._outermost = True
        for item in items:
            if isinstance(item, syntax.Def):
                self._declare(item)
        self._override(overrides)
        for definition in self.all.values():
            self._check_order(definition)
        self._bodies: dict[str, Body] = {}
        for name, definition in self.all.items():
            params = tuple(p.text for p in definition.decl.params)
            self._bodies[name] = Body(params, weigh(definition.decl.body, self._bodies, frozenset(params)))

    # ------------------------------------------------------------------ declarations

    def _declare(self, decl: syntax.Def) -> None:
        name = decl.name.text
        if name in self.all:
            first = self.all[name].decl.name.span
            self.findings.error("E402", decl.name.span, f"`{name}` is defined twice", Note("it is first defined here", first))
            return
        kind = kind_of_word(name)
        if kind is not None:
            self.findings.error(
                "E401",
                decl.name.span,
                f"`{name}` is {kind} and cannot name a definition",
                suggestion=f"rename it, such as `{name}_of`",
            )
        check_parameters(self.findings, decl.params, f"`{name}`")
        params = {p.text for p in decl.params}
        if isinstance(decl.body, syntax.Block):
            observed = (n.name for n in walk(decl.body) if isinstance(n, syntax.Observe))
            for target in (*assignments(decl.body), *observed):
                if target.text in params:
                    self.findings.error(
                        "E409",
                        decl.name.span,
                        f"`{target.text}` is a parameter of `{name}` and stands for the argument: the body cannot assign it",
                        Note("it does so here", target.span),
                        suggestion="assign another name",
                    )
        self.all[name] = Definition(decl, len(self.all))

    def _override(self, overrides: Mapping[str, str]) -> None:
        """Replace the bodies the host gives, the parameters staying (L3.25)."""
        expressions = [d.name for d in self.all.values() if not d.is_statements]
        there = ", ".join(f"`{n}`" for n in expressions) or "none"
        for name, text in overrides.items():
            definition = self.all.get(name)
            if definition is None:
                self.findings.error(
                    "E318",
                    None,
                    f"`--def {name}=…` replaces no definition of the program; its expression definitions are: {there}",
                    suggestion=hint(name, expressions),
                )
                continue
            if definition.is_statements:
                self.findings.error(
                    "E318",
                    definition.decl.name.span,
                    f"`--def {name}=…` cannot replace `{name}`, which is statements; its expression definitions are: {there}",
                )
                continue
            try:
                body = parse_expression(Source(f"--def {name}", text))
            except ProgramError as error:
                why = error.diagnostics[0].message
                self.findings.error("E318", None, f"`--def {name}={text}` is no expression: {why}")
                continue
            if any(isinstance(n, syntax.Ref) and n.names[0].text in ("running", "batch") for n in walk(body)):
                self.findings.error(
                    "E604",
                    None,
                    f"`--def {name}={text}` reads `running.…` or `batch.…`, which only the program's own text can read",
                    suggestion="hand the value in as a parameter of the definition",
                )
                continue
            definition.decl = replace(definition.decl, body=from_host(body, f"--def {name}={text}"))
            definition.replaced = True

    def _check_order(self, definition: Definition) -> None:
        for node in walk(definition.decl.body):
            if not isinstance(node, syntax.CallExpr | syntax.CallStatement):
                continue
            used = self._named(node.ref)
            if used is not None and used.number >= definition.number:
                self._used_too_early(definition, used, node.ref.span)

    def _used_too_early(self, user: Definition, used: Definition, where: Span) -> None:
        note = Note("it is used here", None if user.replaced else where)
        if used is user:
            self.findings.error("E403", used.decl.name.span, f"`{used.name}` uses itself; definitions do not recurse", note)
        else:
            self.findings.error(
                "E403",
                used.decl.name.span,
                f"`{used.name}` is defined below `{user.name}`, which uses it: a definition sees only those above it",
                note,
                suggestion=f"move `{used.name}` above `{user.name}`",
            )

    def _named(self, ref: syntax.Ref) -> Definition | None:
        return self.all.get(ref.names[0].text) if len(ref.names) == 1 and ref.index is None else None

    # ------------------------------------------------------------------ uses

    def item(self, item: syntax.Item) -> syntax.Item:
        """An item with every definition it uses put in place; those declared below it are not seen."""
        return cast(syntax.Item, self._node(item))

    def expression(self, e: syntax.Expr) -> syntax.Expr:
        """An expression with every definition it uses put in place."""
        return cast(syntax.Expr, self._node(e))

    def declared(self, decl: syntax.Def) -> None:
        """From here on the items see this definition."""
        self.visible = self.all[decl.name.text].number + 1

    def _node(self, node: syntax.Node) -> syntax.Node:
        if isinstance(node, syntax.CallExpr):
            definition = self._usable(node.ref)
            if definition is not None:
                return self._expression(node, definition)
        elif isinstance(node, syntax.Block):
            statements = tuple(self._spliced(node.statements))
            return (
                node
                if _same(statements, node.statements)
                else replace(node, statements=cast("tuple[syntax.Statement, ...]", statements))
            )
        elif isinstance(node, syntax.RequestDecl):
            items = tuple(self._spliced(node.items))
            return node if _same(items, node.items) else replace(node, items=cast("tuple[syntax.Statement, ...]", items))
        return rebuilt(node, self._node)

    def _spliced(self, statements: Iterable[syntax.Node]) -> Iterable[syntax.Node]:
        for statement in statements:
            definition = self._usable(statement.ref) if isinstance(statement, syntax.CallStatement) else None
            if isinstance(statement, syntax.CallStatement) and definition is not None:
                yield from self._statements(statement, definition)
            else:
                yield self._node(statement)

    def _usable(self, ref: syntax.Ref) -> Definition | None:
        definition = self._named(ref)
        if definition is None or definition.number < self.visible:
            return definition
        if not any(d.id == "E403" for d in self.findings.errors):
            self.findings.error(
                "E403",
                ref.span,
                f"`{definition.name}` is used above its definition",
                Note("it is defined here", definition.decl.name.span),
                suggestion="move the definition above its first use",
            )
        return None

    def _expression(self, call: syntax.CallExpr, definition: Definition) -> syntax.Expr:
        if definition.is_statements:
            self.findings.error(
                "E406",
                call.ref.span,
                f"`{definition.name}` is statements and is used as one: it has no value",
                Note("it is defined here", definition.decl.name.span),
                suggestion=f"{definition.name} (…);",
            )
            return syntax.Number(call.span, 0.0, "0")
        return cast(syntax.Expr, self._put_in_place(call, definition))

    def _statements(self, call: syntax.CallStatement, definition: Definition) -> Iterable[syntax.Node]:
        if not definition.is_statements:
            self.findings.error(
                "E406",
                call.ref.span,
                f"`{definition.name}` is an expression and is used where a value is read, not as a statement",
                Note("it is defined here", definition.decl.name.span),
                suggestion=f"set NAME = {definition.name}(…);",
            )
            return ()
        if call.source is not None or call.dest is not None:
            self.findings.error("E1325", call.ref.span, f"`{definition.name}` is a definition and takes no `from` and no `to`")
        return cast(syntax.Block, self._put_in_place(call, definition)).statements

    def _put_in_place(self, call: syntax.CallExpr | syntax.CallStatement, definition: Definition) -> syntax.Node:
        self.latest = call.ref.span
        outermost, self._outermost = self._outermost, False
        if outermost:
            self._weigh(call)
        body = self._body(definition)
        args = [cast(syntax.Expr, self._node(a.value if isinstance(a, syntax.Named) else a)) for a in call.args]
        self._outermost = outermost
        params = definition.decl.params
        if len(args) != len(params):
            names = ", ".join(p.text for p in params)
            self.findings.error(
                "E405",
                call.ref.span,
                f"`{definition.name}` takes {_arguments(len(params))} and is given {len(args)}",
                Note("it is defined here", definition.decl.name.span),
                suggestion=f"{definition.name}({names})",
            )
            return syntax.Number(call.span, 0.0, "0") if isinstance(body, syntax.Expr) else syntax.Block(call.span, ())
        values = {p.text: a for p, a in zip(params, args, strict=True)}
        for name, arg in values.items():
            self._check_argument(call, definition, name, arg)
        return Substitution(values, Use(f"`{definition.name}`", call.ref.span)).node(body)

    def _weigh(self, call: syntax.CallExpr | syntax.CallStatement) -> None:
        """Stop where a use would write out more than a program may, before it is written out (E418)."""
        self._written += self._weight(call, self.visible)
        if self._written <= MOST_TOKENS:
            return
        within: list[Note] = []
        inner: syntax.CallExpr | syntax.CallStatement | None = call
        while inner is not None:
            call = inner
            inner = self._too_heavy_within(call)
            if inner is not None:
                within.insert(0, Use(f"`{call.ref.text}`", call.ref.span).note())
        self.findings.error(
            "E418",
            call.ref.span,
            f"with this use the definitions of the program write out {self._written:,} tokens, and the most is {MOST_TOKENS:,}",
            *within,
            suggestion="compute the repeated part once with a `set` and read its name",
        )
        self.findings.stop_if_any()

    def _weight(self, call: syntax.Node, visible: int) -> int:
        return weigh(call, {n: b for n, b in self._bodies.items() if self.all[n].number < visible}).tokens

    def _too_heavy_within(self, call: syntax.CallExpr | syntax.CallStatement) -> syntax.CallExpr | syntax.CallStatement | None:
        """The use inside a used definition that is too much by itself."""
        definition = self.all[call.ref.text]
        for node in walk(definition.decl.body):
            used = isinstance(node, syntax.CallExpr | syntax.CallStatement) and self._named(node.ref) is not None
            if used and self._weight(node, definition.number) > MOST_TOKENS:
                return cast("syntax.CallExpr | syntax.CallStatement", node)
        return None

    def _body(self, definition: Definition) -> syntax.Expr | syntax.Block:
        """The body with the definitions it uses put in place, once for all its uses."""
        if definition.expanded is None:
            before, self.visible = self.visible, definition.number
            self._inside += 1
            body = cast("syntax.Expr | syntax.Block", self._node(definition.decl.body))
            self._inside -= 1
            self.visible = before
            definition.expanded = body
            params = {p.text for p in definition.decl.params}
            definition.reads = Counter(n for n in names_read(body) if n in params)
            definition.assigned = assigned_by(body) if isinstance(body, syntax.Block) else frozenset()
            definition.named = frozenset(_resources(body))
        return definition.expanded

    def _check_argument(
        self, call: syntax.CallExpr | syntax.CallStatement, definition: Definition, param: str, arg: syntax.Expr
    ) -> None:
        """What an argument may read, given that it is read where the parameter stands (L3.22)."""
        times = definition.reads[param]
        if times == 0 and not self._inside:
            self.dropped.append(arg)
        where = call.ref.span
        what = f"the argument for `{param}` of `{definition.name}`"
        if param in definition.named and (not isinstance(arg, syntax.NameExpr) or arg.grouped):
            self.findings.error(
                "E502",
                arg.span,
                f"`{param}` of `{definition.name}` names a pool or a stage, and an expression is given",
                Note("it is defined here", definition.decl.name.span),
                suggestion="pass the bare name",
            )
        read = set(names_read(arg))
        for name in sorted(read & definition.assigned):
            self.findings.error(
                "E410",
                where,
                f"{what} reads `{name}`, which the definition assigns: inside, `{name}` is the definition's",
                Note("the argument is here", arg.span),
                suggestion=f"copy it first: `set before = {name};`",
            )
        if times > 1 and any(isinstance(n, syntax.Draw) for n in walk(arg)):
            self.findings.error(
                "E411",
                where,
                f"{what} draws, and the definition reads it {times} times: it would draw {times} times",
                Note("the draw is here", arg.span),
                suggestion=f"`set` a name to the draw and pass that for `{param}`",
            )
        if definition.is_statements:
            live = live_read(arg)
            if live is not None:
                self.findings.error(
                    "E412",
                    where,
                    f"{what} reads `{live}`, which moves on while the statements run: it would be read later than it looks",
                    Note("the argument is here", arg.span),
                    suggestion=f"`set` a name to it first and pass that for `{param}`",
                )


def _resources(body: syntax.Node) -> Iterator[str]:
    """The names that stand in a body where a statement names a pool or a stage."""
    for node in walk(body):
        if not isinstance(node, syntax.NameExpr | syntax.CallExpr | syntax.CallStatement):
            yield from (child.names[0].text for child in children(node) if isinstance(child, syntax.Ref))


def _arguments(n: int) -> str:
    return "no argument" if n == 0 else "one argument" if n == 1 else f"{n} arguments"


def _same(new: tuple[object, ...], old: tuple[object, ...]) -> bool:
    return len(new) == len(old) and all(a is b for a, b in zip(new, old, strict=True))

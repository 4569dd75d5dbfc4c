"""Which items a program has and where they stand (L3.1, L3.3); knows no names but ``main`` and the two modules."""

from __future__ import annotations

from collections.abc import Iterator

from grammar import syntax
from grammar.declaration_slips import not_main
from grammar.diagnostics import Diagnostic, Note
from grammar.expansion import walk
from grammar.homes import RETIRED_FORMS
from grammar.misreadings import error
from grammar.source import Span

MODULES = ("std/args", "std/kvt")
"""What ``use`` reads (L3.26)."""

_OUTSIDE_MAIN = (syntax.Use, syntax.Let, syntax.Def)
_WORDS: dict[type, str] = {
    syntax.Main: "fn",
    syntax.Use: "use",
    syntax.Let: "let",
    syntax.Def: "def",
    syntax.Pool: "pool",
    syntax.Stage: "stage",
    syntax.Device: "device",
    syntax.Engine: "engine",
    syntax.Queue: "queue",
    syntax.Workload: "workload",
    syntax.Server: "server",
    syntax.SessionBlock: "session",
    syntax.ShareDecl: "share",
    syntax.GaugeDecl: "gauge",
    syntax.ClaimDecl: "claim",
}
_ONCE = (syntax.Workload, syntax.Server, syntax.SessionBlock, syntax.ShareDecl)


def structure_errors(text: syntax.Text) -> tuple[Diagnostic, ...]:
    """What is wrong with the outline of a program, in text order (E201 to E219, and what L13.6 tells from the tree)."""
    found = [*_outline(text), *_uses(text), *_once_each(text), *_partners(text), *_sessions(text), *_misplaced(text)]
    return tuple(sorted(found, key=lambda d: (d.span.line, d.span.column) if d.span else (0, 0)))


def _first_word(node: syntax.Node) -> Span:
    word = node.ref.text if isinstance(node, syntax.Relation) else _WORDS[type(node)]
    return Span(node.span.line, node.span.column, node.span.line, node.span.column + len(word))


def _shown(node: syntax.Node) -> str:
    return f"`{node.ref.text}`" if isinstance(node, syntax.Relation) else f"`{_WORDS[type(node)]}`"


def _after(node: syntax.Node) -> Span:
    """The column after a node, where the text ends (L13.2)."""
    return Span(node.span.end_line, node.span.end_column, node.span.end_line, node.span.end_column + 1)


def _items(text: syntax.Text) -> Iterator[syntax.Item]:
    """Every item in text order, those of ``main`` in its place; of a second ``main`` inside another too."""
    pending: list[syntax.Item] = list(reversed(text.items))
    while pending:
        item = pending.pop()
        yield item
        if isinstance(item, syntax.Main):
            pending.extend(reversed(item.items))


def _of_main(text: syntax.Text) -> tuple[syntax.Item, ...]:
    """What the first ``main`` declares: what a second one does is told of by that it is a second one."""
    return next((item.items for item in text.items if isinstance(item, syntax.Main)), ())


def _outline(text: syntax.Text) -> Iterator[Diagnostic]:
    """One ``fn main() { … }``, last, with all but ``use``, ``let`` and ``def`` in it (E201, E202, E203, E206, E207)."""
    mains = [item for item in _items(text) if isinstance(item, syntax.Main)]
    misnamed = [main for main in mains if main.name.text != "main"]
    for main in misnamed:
        yield not_main(main.name.text, main.name.span)
    for second in [main for main in mains if main not in misnamed][1:]:
        first = next(main for main in mains if main not in misnamed)
        help_ = "put its declarations into the first"
        yield error("E202", "a program has one `fn main()`", second.name.span, help_, (Note("the first is here", first.name.span),))
    ended: syntax.Main | None = None
    astray = False
    for item in text.items:
        if isinstance(item, syntax.Main):
            ended = ended or item
        elif ended is not None:
            note = Note("`main` ends here", _after(ended))
            message = f"{_shown(item)} stands after `main` has ended"
            yield error("E207", message, _first_word(item), "write it above `fn main()` or in it", (note,))
        elif not isinstance(item, _OUTSIDE_MAIN):
            astray = True
            message = f"{_shown(item)} stands outside `fn main() {{ … }}`"
            yield error("E206", message, _first_word(item), "write it in `fn main() { … }`; `use`, `let` and `def` may stand above")
    if not mains and not astray:
        wrap = "wrap the declarations: `fn main() { … }`" if text.items else None
        yield error("E201", "a program needs one `fn main() { … }`", _after(text), wrap)


def _uses(text: syntax.Text) -> Iterator[Diagnostic]:
    """``use`` reads two modules and no file (E219)."""
    for item in _items(text):
        if isinstance(item, syntax.Use) and item.path.value not in MODULES:
            message = f'`use` reads `"std/args"` and `"std/kvt"`, read `"{item.path.value}"`'
            yield error("E219", message, _first_word(item), "a program is one file: write the definitions in it")


def _once_each(text: syntax.Text) -> Iterator[Diagnostic]:
    """One ``workload``, ``server``, ``session`` and ``share`` (E211)."""
    first: dict[type, syntax.Node] = {}
    for item in _of_main(text):
        parts = item.items if isinstance(item, syntax.Workload) else ()
        for node in (item, *parts):
            if not isinstance(node, _ONCE):
                continue
            earlier = first.setdefault(type(node), node)
            if earlier is not node:
                note = Note("the first is here", _first_word(earlier))
                yield error("E211", f"a program has one {_shown(node)}", _first_word(node), "join the two", (note,))


def _partners(text: syntax.Text) -> Iterator[Diagnostic]:
    """A workload needs a server, and a server a workload (E214)."""
    workload = next((item for item in _of_main(text) if isinstance(item, syntax.Workload)), None)
    server = next((item for item in _of_main(text) if isinstance(item, syntax.Server)), None)
    if workload is not None and server is None:
        note = Note("the workload is here", _first_word(workload))
        help_ = "say what happens to a request: `server { … }`"
        yield error("E214", "a `workload` needs a `server`", _after(text), help_, (note,))
    if server is not None and workload is None:
        note = Note("the server is here", _first_word(server))
        help_ = "say which requests arrive: `workload { arrive …; }`"
        yield error("E214", "a `server` needs a `workload`", _after(text), help_, (note,))


def _sessions(text: syntax.Text) -> Iterator[Diagnostic]:
    """A session takes a turn at least, itself or in a definition it uses (E215)."""
    bodies = {item.name.text: item.body for item in _items(text) if isinstance(item, syntax.Def)}
    for item in _items(text):
        for part in item.items if isinstance(item, syntax.Workload) else ():
            if isinstance(part, syntax.SessionBlock) and not _takes_turn(part.body, bodies):
                yield error("E215", "a session takes at least one turn", _first_word(part), "write `turn;` where it asks")


def _takes_turn(body: syntax.Node, bodies: dict[str, syntax.Expr | syntax.Block]) -> bool:
    seen: set[str] = set()
    pending = [body]
    while pending:
        for node in walk(pending.pop()):
            if isinstance(node, syntax.Turn):
                return True
            if isinstance(node, syntax.CallStatement) and node.ref.text in bodies and node.ref.text not in seen:
                seen.add(node.ref.text)
                pending.append(bodies[node.ref.text])
    return False


def _misplaced(text: syntax.Text) -> Iterator[Diagnostic]:
    """What the grammar takes for a call and is none (E105, E416, E1005)."""
    called = {item.name.text for item in _items(text) if isinstance(item, syntax.Def | syntax.Engine) and item.name}
    for node in walk(text):
        if isinstance(node, syntax.CallStatement) and len(node.ref.names) == 1 and node.ref.text not in called:
            yield from _no_call(node)
        if isinstance(node, syntax.CallExpr | syntax.CallStatement | syntax.Relation):
            yield from _arguments(node)


def _no_call(node: syntax.CallStatement) -> Iterator[Diagnostic]:
    word = node.ref.text
    if word == "cache":
        help_ = "`cache (e);` is the last item of a `request`, and a clause after the block of a `hold`"
        yield error("E1005", "`cache` is no statement", node.ref.span, help_)
    elif word in RETIRED_FORMS and word != "request":
        today = (
            f"write `{RETIRED_FORMS[word]} (…)`" if RETIRED_FORMS[word] else "drop it: the pools of the `hold` are the condition"
        )
        yield error("E416", f"`{word}` is a word of an older form", node.ref.span, today)


def _arguments(node: syntax.CallExpr | syntax.CallStatement | syntax.Relation) -> Iterator[Diagnostic]:
    """A string stands first in ``args.…`` alone, a named argument in ``kvt.…`` alone (L2.14, L2.15)."""
    module = node.ref.names[0].text if len(node.ref.names) > 1 else ""
    for index, argument in enumerate(node.args):
        if isinstance(argument, syntax.String) and not (module == "args" and index == 0):
            message = f'expected an expression in `{node.ref.text}`, read `"{argument.value}"`'
            yield error("E105", message, argument.span, "a string stands after `use`, after `trace` and first in `args.number`")
        if isinstance(argument, syntax.Named) and module != "kvt":
            message = f"expected an expression in `{node.ref.text}`, read `{argument.name.text} =`"
            yield error("E105", message, argument.span, "only the calls of `kvt` name their arguments")

"""Takes in the copies between queues, ``kvt.nixl_pull`` and ``kvt.nixl_push`` (L8.9); expands nothing."""

from __future__ import annotations

from grammar import syntax
from grammar.declarations import KVT, Declarations
from grammar.diagnostics import Note
from grammar.findings import hint
from grammar.scopes import Queue, Relation


def declare_relation(to: Declarations, decl: syntax.Relation) -> None:
    """``kvt.nixl_pull (P, D, latency = e);`` and ``kvt.nixl_push`` (L8.9)."""
    name = decl.ref.text
    if decl.ref.names[0].text != "kvt" or len(decl.ref.names) != 2:
        to.findings.error("E208", decl.ref.span, f"`{name}` starts no declaration", suggestion=None)
        return
    if KVT not in to.parts.uses:
        to.findings.error(
            "E1313", decl.ref.span, f'`{name}` needs `use "{KVT}";` at the top of the program', suggestion=f'use "{KVT}";'
        )
        return
    verb = decl.ref.names[1]
    if verb.text not in ("nixl_pull", "nixl_push"):
        to.findings.error(
            "E1313",
            verb.span,
            f"`std/kvt` has no relation `{verb.text}`; it has `nixl_pull` and `nixl_push`",
            suggestion=hint(verb.text, ("nixl_pull", "nixl_push")) or "kvt.nixl_pull (SOURCE, READER, latency = e);",
        )
        return
    given = _arguments(to, decl, verb.text)
    if given is None:
        return
    (first, second), latency = given
    source, reader = _queue(to, first, name), _queue(to, second, name)
    if source is None or reader is None or {source.name, reader.name} & to.broken:
        return
    if not _can_copy(to, decl, (first, source), (second, reader)):
        return
    seconds = 0.0 if latency is None else to.constants.number(latency)
    push = verb.text == "nixl_push"
    poster = source if push else reader
    stage = None
    if latency is not None and seconds is not None:
        shown = f"{poster.name}.nic.latency"
        stage = to.model.stages.get(shown)
        if stage is None:
            stage = to.stage_family(shown, latency.span, poster.size)
            stage.role = "latency"
    reader.relation = Relation(decl, push, source, reader, stage, seconds or 0.0)


def _arguments(
    to: Declarations, decl: syntax.Relation, verb: str
) -> tuple[tuple[syntax.NameExpr, syntax.NameExpr], syntax.Expr | None] | None:
    usage = f"kvt.{verb} (SOURCE, READER, latency = e);"
    names: list[syntax.NameExpr] = []
    latency: syntax.Expr | None = None
    for arg in decl.args:
        if isinstance(arg, syntax.Named):
            if arg.name.text != "latency":
                to.findings.error("E1313", arg.name.span, f"`kvt.{verb}` takes no `{arg.name.text}`", suggestion=usage)
                return None
            latency = arg.value
        elif isinstance(arg, syntax.NameExpr) and _is_name(arg) and latency is None:
            names.append(arg)
        else:
            to.findings.error("E1313", arg.span, f"`kvt.{verb}` takes two queues and perhaps a latency", suggestion=usage)
            return None
    if len(names) != 2:
        to.findings.error("E1313", decl.ref.span, f"`kvt.{verb}` takes two queues, its source and its reader", suggestion=usage)
        return None
    return (names[0], names[1]), latency


def _is_name(arg: syntax.NameExpr) -> bool:
    return len(arg.ref.names) == 1 and arg.ref.index is None and not arg.grouped


def _queue(to: Declarations, arg: syntax.NameExpr, what: str) -> Queue | None:
    queue = to.model.queues.get(arg.ref.text)
    if queue is None and arg.ref.text not in to.broken:
        to.findings.error(
            "E1313",
            arg.span,
            f"`{what}` names queues, and no queue `{arg.ref.text}` is declared above",
            suggestion=hint(arg.ref.text, to.model.queues),
        )
    return queue


def _can_copy(
    to: Declarations, decl: syntax.Relation, source: tuple[syntax.NameExpr, Queue], reader: tuple[syntax.NameExpr, Queue]
) -> bool:
    name = decl.ref.text
    for arg, queue in (source, reader):
        if queue.nic is None:
            to.findings.error(
                "E1313", arg.span, f"a copy runs over both NICs, and queue `{queue.name}` has no `nic`", suggestion="nic ps(RATE);"
            )
            return False
    reads = [e for e in reader[1].entries.values() if e.source is not None and e.source.text == source[1].name]
    if not reads:
        to.findings.error(
            "E1314",
            decl.ref.span,
            f"`{reader[1].name}` has no entry `from {source[1].name}`, so nothing reads what the copy brings",
            suggestion=f"{name} (SOURCE, READER, …): the source first, then the reader",
        )
        return False
    if reader[1].relation is not None:
        to.findings.error(
            "E1313",
            decl.ref.span,
            f"`{reader[1].name}` takes the KV from `{reader[1].relation.source.name}` already: one relation for each reader",
            Note("that relation is here", reader[1].relation.decl.ref.span),
        )
        return False
    return True


def check_share(to: Declarations) -> None:
    """Copies divide the NICs by the program's own ``share`` (L8.9)."""
    if to.parts.share is not None:
        return
    for queue in to.model.queues.values():
        if queue.relation is not None:
            to.findings.error(
                "E1313",
                queue.relation.decl.ref.span,
                "copies at the same time divide the NICs by the program's `share`, and it says none",
                suggestion="share maxmin;  or `share bottleneck;`",
            )

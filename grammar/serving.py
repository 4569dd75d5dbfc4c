"""The serving forms ``tool``, ``transfer`` and std/kvt's copies as runs, loads and releases (L7.18, L7.32, L8.10, L8.11)."""

from __future__ import annotations

from typing import TypeGuard

from grammar import building, syntax
from grammar.diagnostics import Note
from grammar.expansion import uses_of
from grammar.findings import Findings, hint
from grammar.scopes import Model, Queue, Stage
from grammar.source import Span

ROLE_STAGES = {"tool": ("tool",), "transfer": ("link", "transfer")}
"""The names of the stages that play a serving word's part (L7.18)."""


def tool_run(model: Model, findings: Findings, node: syntax.Tool, order: int, *, in_session: bool) -> tuple[syntax.Statement, ...]:
    """``tool Z;``, ``tool[i] Z;``, ``tool on S (Z);`` (L7.18)."""
    if node.growing is not None:
        findings.error(
            "E820", _word(node.span, "tool"), "`growing` is of a run of an engine, and `tool` is none", suggestion="drop it"
        )
    stages = _stages(model, findings, node.target, node.span, "tool", order, in_session=in_session)
    if stages is None:
        return ()
    return _waits_and_run(model, node.span, stages, node.work)


def transfer_run(model: Model, findings: Findings, node: syntax.Transfer, order: int) -> tuple[syntax.Statement, ...]:
    """``transfer (X) from P to Q (n);``: the run, the load, and the release of what was copied (L7.32)."""
    word = _word(node.span, "transfer")
    if node.source is None or node.dest is None or node.units is None:
        findings.error(
            "E1122",
            word,
            "a transfer says what it copies: from a pool, to a pool, and how much",
            suggestion="transfer (X) from P to Q (n);  or `run LINK (cost(LINK, X));` where a link only costs time",
        )
        return ()
    stages = _stages(model, findings, node.target, node.span, "transfer", order, in_session=False)
    if stages is None:
        return ()
    return (*_waits_and_run(model, node.span, stages, node.work), *_taken_over(node.span, node.source, node.dest, node.units))


def _taken_over(span: Span, source: syntax.Ref, dest: syntax.Ref, units: syntax.Expr) -> tuple[syntax.Statement, ...]:
    return (
        syntax.Load(span, dest, building.cost(units.span, (dest,), units)),
        syntax.Release(span, source),
    )


def _waits_and_run(model: Model, span: Span, stages: tuple[syntax.Ref, ...], work: syntax.Expr) -> tuple[syntax.Statement, ...]:
    """The run over the stages, after the fixed wait of each link among them that has one, in the order named."""
    waits = []
    for stage in stages:
        queue = model.queues.get(stage.text)
        if queue is not None and queue.latency is not None:
            waits.append(waited(span, queue.latency.name, stage.index, queue.latency_value))
    return (*waits, syntax.Run(span, stages, None, building.cost(work.span, stages, work)))


def waited(span: Span, stage: str, index: syntax.Expr | None, seconds: float) -> syntax.Run:
    """A fixed wait at a latency stage."""
    at = building.ref(span, stage, index)
    return syntax.Run(span, (at,), None, building.cost(span, (at,), syntax.Number(span, seconds, f"{seconds:g}")))


def _word(span: Span, word: str) -> Span:
    if uses_of(span):
        return span
    return Span(span.line, span.column, span.line, span.column + len(word))


def _stages(
    model: Model, findings: Findings, target: syntax.OnTarget | None, span: Span, word: str, order: int, *, in_session: bool
) -> tuple[syntax.Ref, ...] | None:
    """The stages a serving form runs on; None after telling there are none."""
    if target is not None and target.stages:
        return target.stages
    names = ROLE_STAGES[word]
    found = [s for n in names if (s := model.stages.get(n)) is not None and s.order < order and s.role == "stage"]
    place = _word(span, word)
    if len(found) == 1:
        return (building.ref(place, found[0].name, None if target is None else target.index),)
    if not found and word == "tool" and in_session:
        return _supplied_tool(model, findings, place, target)
    words = " or ".join(f"`{n}`" for n in names)
    if found:
        both = " and ".join(f"`{s.name}`" for s in found)
        findings.error(
            "E1123",
            place,
            f"`{word}` runs on the one stage named {words}, and there are two: {both}",
            *(Note(f"`{s.name}` is declared here", s.span) for s in found),
            suggestion=f"{word} on {found[0].name} (…)",
        )
    else:
        below = [s for n in names if (s := model.stages.get(n)) is not None]
        findings.error(
            "E1123",
            place,
            f"`{word}` runs on a stage named {words}, and none is declared above",
            *(Note(f"`{s.name}` is declared here, below", s.span) for s in below),
            suggestion=f"stage {names[0]} : delay;  or `{word} on STAGE (…)`",
        )
    return None


def _supplied_tool(model: Model, findings: Findings, place: Span, target: syntax.OnTarget | None) -> tuple[syntax.Ref, ...] | None:
    """Without a stage of its own a session's tool is a delay, after all other stages (L7.18)."""
    below = model.stages.get("tool")
    if below is not None and below.kind is not None:
        findings.error(
            "E1324",
            place,
            "the stage `tool` is declared below the workload, whose tool then is not this stage",
            Note("it is declared here", below.span),
            suggestion="move it above the workload",
        )
        return None
    if below is None:
        stage = Stage("tool", model.stage_count, 1, False, place, 0)
        model.stage_count += 1
        model.stages["tool"] = stage
    return (building.ref(place, "tool", None if target is None else target.index),)


# ------------------------------------------------------------------------------- std/kvt


def copied(
    findings: Findings, node: syntax.Transfer, reader: Queue, index: syntax.Expr | None, member: syntax.Expr | None
) -> tuple[syntax.Statement, ...]:
    """A reader's ``transfer (X) from P to p (n);`` over the NICs of its relation (L8.10)."""
    relation = reader.relation
    assert node.source is not None
    if node.dest is None or node.units is None:
        return (node,)
    if relation is None:
        findings.error(
            "E1321",
            _word(node.span, "transfer"),
            f"this transfer names no stage, and `{reader.name}` neither pulls from a queue nor is pushed to",
            suggestion=f"kvt.nixl_pull (SOURCE, {reader.name}, latency = e);  among the items, or `transfer on STAGE (…) …`",
        )
        return ()
    span = node.span
    nics = (building.ref(span, f"{relation.source.name}.nic", member), building.ref(span, f"{reader.name}.nic", index))
    waits: tuple[syntax.Statement, ...] = ()
    if relation.latency is not None:
        waits = (waited(span, relation.latency.name, member if relation.push else index, relation.seconds),)
    run = syntax.Run(span, nics, None, building.cost(node.work.span, nics, node.work))
    return (*waits, run, *_taken_over(span, node.source, node.dest, node.units))


def second_tier(model: Model, findings: Findings, call: syntax.CallStatement, order: int) -> tuple[syntax.Statement, ...]:
    """``kvt.l2_load (C, kv, n, per_token = r);`` and ``kvt.l2_store (kv, C, n, per_token = r);`` (L8.11)."""
    name = call.ref.text
    verb = call.ref.names[-1]
    load = verb.text == "l2_load"
    usage = f"kvt.{verb.text} ({'CACHE, POOL' if load else 'POOL, CACHE'}, n, per_token = r);"
    if verb.text not in ("l2_load", "l2_store") or len(call.ref.names) != 2:
        findings.error(
            "E1313",
            verb.span,
            f"`std/kvt` has no statement `{name}`; it has `kvt.l2_load` and `kvt.l2_store`",
            suggestion=hint(verb.text, ("l2_load", "l2_store")),
        )
        return ()
    plain = [a for a in call.args if not isinstance(a, syntax.Named | syntax.String)]
    named = {a.name.text: a for a in call.args if isinstance(a, syntax.Named)}
    if len(plain) != 3 or set(named) != {"per_token"}:
        end = call.args[-1].span if call.args else call.span
        after = Span(end.end_line, end.end_column, end.end_line, end.end_column + 1)
        wrong = next((a.name.span for k, a in named.items() if k != "per_token"), after)
        findings.error("E1315", wrong, f"`{name}` takes two names, an amount and the time a token takes", suggestion=usage)
        return ()
    cache_arg, pool_arg = (plain[0], plain[1]) if load else (plain[1], plain[0])
    cache = model.queues.get(cache_arg.ref.text) if _is_name(cache_arg) else None
    if cache is None or "l2" not in cache.roles or cache.order >= order:
        findings.error(
            "E1315",
            cache_arg.span,
            f"`{name}` names a queue of role `l2` declared above, and this is none",
            suggestion=usage,
        )
        return ()
    if not _is_name(pool_arg):
        findings.error("E1315", pool_arg.span, f"`{name}` names the entry's own pool here", suggestion=usage)
        return ()
    per_token = named["per_token"].value
    if load:
        return _loaded(call.span, cache, pool_arg.ref, plain[2], per_token)
    return _stored(call.span, cache, plain[2], per_token)


def _is_name(arg: syntax.Expr) -> TypeGuard[syntax.NameExpr]:
    return isinstance(arg, syntax.NameExpr) and not arg.grouped


def _loaded(span: Span, cache: Queue, pool: syntax.Ref, n: syntax.Expr, per_token: syntax.Expr) -> tuple[syntax.Statement, ...]:
    at = building.ref(span, cache.name)
    return (
        syntax.Run(span, (at,), None, building.cost(n.span, (at,), syntax.Binary(n.span, "*", n, per_token))),
        syntax.Load(span, pool, building.cost(n.span, (pool,), n)),
    )


def _stored(span: Span, cache: Queue, n: syntax.Expr, per_token: syntax.Expr) -> tuple[syntax.Statement, ...]:
    pool = next(iter(cache.pools.values()))
    of, at = building.ref(span, pool.name), building.ref(span, cache.name)
    cached = syntax.NameExpr(span, building.ref(span, "cached"))
    missing = building.call(span, "max", syntax.Number(span, 0.0, "0"), syntax.Binary(span, "-", n, cached))
    body = (
        syntax.Grow(span, of, building.cost(span, (of,), missing)),
        syntax.Run(span, (at,), None, building.cost(span, (at,), syntax.Binary(span, "*", missing, per_token))),
        syntax.Load(span, of, building.cost(span, (of,), missing)),
    )
    units = building.call(span, "cachedin", syntax.NameExpr(span, of))
    take = syntax.Take(span, of, building.cost(span, (of,), units))
    return (syntax.Hold(span, (take,), syntax.Block(span, body), cache=building.cost(n.span, (of,), n)),)


def after_link(node: syntax.CallStatement) -> tuple[syntax.Statement, ...]:
    """A link's ``transfer`` entry, once run, is followed by the load and the release (L8.5)."""
    assert node.source is not None and node.dest is not None and node.units is not None
    return _taken_over(node.span, node.source, node.dest, node.units)

"""From one node of the Lark tree to one node of the syntax tree; knows no text and no rules.

Each builder gets the span of what was written and the children already built: tokens have become
``Name``, ``Number`` or ``String``, left-out optional parts are None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grammar import syntax as s
from grammar.source import Span

Children = list[Any]
Builder = Callable[[Span, Children], Any]


def _first_word(span: Span, word: str) -> Span:
    """The span of the word a construct starts with."""
    return Span(span.line, span.column, span.line, span.column + len(word))


def _names(children: Children) -> tuple[s.Name, ...]:
    return tuple(child for child in children if child is not None)


def _binary(op: str) -> Builder:
    return lambda span, c: s.Binary(span, op, c[0], c[1])


def _compare(span: Span, c: Children) -> s.Binary:
    return s.Binary(span, c[1].text, c[0], c[2])


def _ref(span: Span, c: Children) -> s.Ref:
    return s.Ref(span, (c[0], *c[2:]), c[1])


def _pool_option(kind: Any) -> Builder:
    return lambda span, c: s.PoolOption(span, kind, value=c[0] if c else None)


def _word_or_keys(kind: Any) -> Builder:
    """``evict``, ``queue`` and ``preempt``: one word, or ``by`` keys with an optional ``requeue``."""

    def build(span: Span, c: Children) -> s.PoolOption:
        if isinstance(c[0], s.Name):
            return s.PoolOption(span, kind, word=c[0].text)
        requeue = c[1].text if len(c) > 1 and c[1] is not None else None
        return s.PoolOption(span, kind, keys=c[0], requeue=requeue)

    return build


def _spill(span: Span, c: Children) -> s.PoolOption:
    return s.PoolOption(span, "spill", to=c[0], via=c[1], value=c[2], when=c[3])


def _cost_record(span: Span, c: Children) -> s.CostRecord:
    return s.CostRecord(span, c[0], tuple(c[1:]))


def _taking(span: Span, c: Children) -> s.Taking:
    return s.Taking(span, tuple(c[:-1]), c[-1])


def _hold(span: Span, c: Children) -> s.Hold:
    """The takes come first, then five fixed places: reuse, bindings, body, cache, lease."""
    reuse, bindings, body, kept, lease = c[-5:]
    return s.Hold(span, tuple(c[:-5]), body, reuse, bindings, kept, lease)


def _cap_and_kind(word: Any) -> Builder:
    return lambda span, c: s.StageKind(span, word, c[0] if c else None)


def _engine(span: Span, c: Children) -> s.Engine:
    return s.Engine(span, c[0], c[1], c[2], tuple(c[3:]))


def _call(span: Span, c: Children) -> s.CallExpr:
    return s.CallExpr(span, c[0], c[1] or ())


def _call_statement(span: Span, c: Children) -> s.CallStatement:
    return s.CallStatement(span, c[0], c[1] or (), c[2], c[3], c[4])


def _transfer(span: Span, c: Children) -> s.Transfer:
    """The first child is the keyword, which the grammar keeps because an entry may bear it as its verb."""
    return s.Transfer(span, c[1], c[2], c[3], c[4], c[5])


def _arrival(law: Any) -> Builder:
    return lambda span, c: s.Arrival(span, law, c[0] if c else None)


def _arrive(span: Span, c: Children) -> s.Arrival:
    law: s.Arrival = c[0]
    return replace(law, span=span)


def _claim(span: Span, c: Children) -> s.ClaimDecl:
    over, of = c[2]
    return s.ClaimDecl(span, c[0], c[1], over, of, c[3])


def _first(_: Span, c: Children) -> Any:
    return c[0]


def _paren(_: Span, c: Children) -> Any:
    return replace(c[0], grouped=True) if isinstance(c[0], s.NameExpr) else c[0]


def _all(_: Span, c: Children) -> tuple[Any, ...]:
    return tuple(c)


BUILDERS: dict[str, Builder] = {
    "start": lambda span, c: s.Text(span, tuple(c)),
    "host_expr": _first,
    # ------------------------------------------------------------------ items
    "main": lambda span, c: s.Main(span, c[0], tuple(c[1:])),
    "use_decl": lambda span, c: s.Use(span, c[0]),
    "let_decl": lambda span, c: s.Let(span, c[0], c[1]),
    "def_decl": lambda span, c: s.Def(span, c[0], c[1] or (), c[2]),
    "names": lambda _, c: _names(c),
    "array": _first,
    "keys": _all,
    "pool_decl": lambda span, c: s.Pool(span, c[0], c[1], c[2], tuple(c[3:])),
    "owner": lambda span, c: s.Owner(span, c[0], c[1]),
    "opt_cap": _pool_option("cap"),
    "opt_block": _pool_option("block"),
    "opt_evict": _word_or_keys("evict"),
    "opt_preempt": _word_or_keys("preempt"),
    "opt_queue": _word_or_keys("queue"),
    "opt_held": lambda span, c: s.PoolOption(span, "reserve_held"),
    "opt_spill": _spill,
    "opt_admit": lambda span, c: s.PoolOption(span, "admit_via", via=c[0]),
    "requeue": _first,
    "stage_decl": lambda span, c: s.Stage(span, c[0], c[1], c[2]),
    "fifo": _cap_and_kind("fifo"),
    "ps": _cap_and_kind("ps"),
    "delay": _cap_and_kind("delay"),
    "device_decl": lambda span, c: s.Device(span, c[0], c[1], tuple(c[2:])),
    "time_resource": lambda span, c: s.TimeResource(span, c[0], c[1] or (), c[2]),
    "dev_cap": lambda span, c: s.Capacity(span, c[0], None, c[1]),
    "engine_decl": _engine,
    "q_engine": lambda span, c: _engine(span, [None, None, *c]),
    "tokens_cap": lambda span, c: s.TokensCap(span, c[0]),
    "eng_cap": lambda span, c: s.Capacity(span, c[0], c[1], c[2]),
    "granule": lambda span, c: s.Granule(span, c[0]),
    "state": lambda span, c: s.StateDecl(span, c[0], c[1]),
    "execute": lambda span, c: s.Execute(span, c[0]),
    "schedule": lambda span, c: s.Schedule(_first_word(span, "schedule"), c[0]),
    "request": lambda span, c: s.RequestDecl(span, c[0] or (), tuple(c[1:])),
    # ------------------------------------------------------------------ schedule
    "sched_block": lambda span, c: s.ScheduleBlock(span, tuple(c)),
    "s_let": lambda span, c: s.SLet(span, c[0], c[1]),
    "s_advance": lambda span, c: s.Advance(span, c[0], c[1], c[2]),
    "s_admit": lambda span, c: s.AdmitWaiting(span, c[0], c[1], c[2], c[3]),
    "s_exclusive": lambda span, c: s.Exclusive(span, c[0]),
    "s_branch": lambda span, c: s.SBranch(span, c[0], c[1], c[2]),
    "s_set": lambda span, c: s.SSet(span, c[0], c[1]),
    "only": _first,
    "while_gate": _first,
    "by_admission": lambda span, c: s.Order(span, "admission"),
    "decode_first": lambda span, c: s.Order(span, "decode first"),
    "by_keys": lambda span, c: s.Order(span, "by", c[0]),
    "each": lambda span, c: s.Cap(span, c[0]),
    "taking": _taking,
    "take": lambda span, c: s.Take(span, c[0], c[1], c[2]),
    "reserve": _first,
    "reuse": _first,
    "at_admission": lambda span, c: s.AtAdmission(span, tuple(c)),
    "req_cache": lambda span, c: s.RequestCache(span, c[0]),
    "binding": lambda span, c: s.Binding(span, c[0], c[1]),
    # ------------------------------------------------------------------ queues
    "queue_decl": lambda span, c: s.Queue(span, c[0], c[1], c[2] or (), tuple(c[3:])),
    "roles": _all,
    "serve": lambda span, c: s.ServeStage(span, c[0], c[1]),
    "nic": lambda span, c: s.Nic(span, c[0]),
    "entry": lambda span, c: s.Entry(span, c[0], c[1], c[2], c[3]),
    "entry_params": lambda _, c: c[0] or (),
    "verb": _first,
    "entry_from": _first,
    # ------------------------------------------------------------------ workload, server, what is measured
    "workload_decl": lambda span, c: s.Workload(span, tuple(c)),
    "arrive": _arrive,
    "poisson": _arrival("poisson"),
    "renewal": _arrival("renewal"),
    "closed": _arrival("closed"),
    "batch": _arrival("batch"),
    "none": _arrival("none"),
    "trace": lambda span, c: s.TraceClause(span, c[0], c[1] is not None),
    "init": lambda span, c: s.InitBlock(span, c[0]),
    "turn_block": lambda span, c: s.TurnBlock(span, c[0]),
    "session": lambda span, c: s.SessionBlock(span, c[0]),
    "hidden": lambda span, c: s.Hidden(span, c[0]),
    "server_decl": lambda span, c: s.Server(span, c[0]),
    "share_decl": lambda span, c: s.ShareDecl(span, c[0]),
    "policy": _first,
    "relation_decl": lambda span, c: s.Relation(span, c[0], c[1] or ()),
    "gauge_decl": lambda span, c: s.GaugeDecl(span, c[0], c[1]),
    "claim_decl": _claim,
    "every": lambda _, c: ("every", c[0]),
    "some": lambda _, c: ("some", c[0]),
    "at_end": lambda _, c: ("end", None),
    # ------------------------------------------------------------------ statements
    "block": lambda span, c: s.Block(span, tuple(c)),
    "set": lambda span, c: s.Set(span, c[0], c[1]),
    "observe": lambda span, c: s.Observe(span, c[0], c[1]),
    "turn": lambda span, c: s.Turn(span),
    "end": lambda span, c: s.End(span),
    "join": lambda span, c: s.Join(span),
    "mark": lambda span, c: s.Mark(span, c[0]),
    "grow": lambda span, c: s.Grow(span, c[0], c[1]),
    "drop": lambda span, c: s.Drop(span, c[0]),
    "release": lambda span, c: s.Release(span, c[0]),
    "load": lambda span, c: s.Load(span, c[0], c[1]),
    "run": lambda span, c: s.Run(span, c[0], c[1], c[2], c[3]),
    "run_own": lambda span, c: s.Run(span, (), None, c[0]),
    "mode_stmt": lambda span, c: s.ModeRun(span, c[0], c[1], c[2]),
    "branch": lambda span, c: s.Branch(span, c[0] is not None, c[1], c[2], c[3]),
    "while_": lambda span, c: s.While(span, c[0], c[1]),
    "loop": lambda span, c: s.Loop(span, c[0]),
    "fork": lambda span, c: s.Fork(span, c[0]),
    "choose": lambda span, c: s.Choose(span, c[0], c[1], c[2]),
    "tool": lambda span, c: s.Tool(span, c[0], c[1], c[2]),
    "transfer": _transfer,
    "size_decl": lambda span, c: s.SizeDecl(span, c[0], c[1]),
    "cost_decl": lambda span, c: s.CostDecl(span, c[0], c[1]),
    "cost_record": _cost_record,
    "cost_field": _all,
    "call_stmt": _call_statement,
    "refs": _all,
    "mode": _first,
    "growing": _first,
    "on_index": lambda span, c: s.OnTarget(span, index=c[0]),
    "on_stages": lambda span, c: s.OnTarget(span, stages=c[0]),
    "hold": _hold,
    "hold_bindings": _all,
    "hold_bind": lambda span, c: s.Binding(span, c[0], c[1]),
    "cache": _first,
    "lease": lambda span, c: s.LeaseClause(span, c[0], c[1]),
    # ------------------------------------------------------------------ expressions
    "ref": _ref,
    "args": _all,
    "string": _first,
    "named": lambda span, c: s.Named(span, c[0], c[1]),
    "cond": lambda span, c: s.Conditional(span, c[0], c[1], c[2]),
    "lor": _binary("||"),
    "land": _binary("&&"),
    "compare": _compare,
    "plus": _binary("+"),
    "minus": _binary("-"),
    "times": _binary("*"),
    "div": _binary("/"),
    "power": _binary("^"),
    "neg": lambda span, c: s.Unary(span, "-", c[0]),
    "not_": lambda span, c: s.Unary(span, "!", c[0]),
    "draw": lambda span, c: s.Draw(span, c[0], c[1] or ()),
    "number": _first,
    "paren": _paren,
    "call": _call,
    "name": lambda span, c: s.NameExpr(span, c[0]),
    "count_name": lambda span, c: s.NameExpr(span, s.Ref(span, (c[0],))),
    "over": lambda span, c: s.Over(span, c[0].text, c[1], c[2], c[3]),
    "agg": _first,
}

"""An engine's ``schedule`` as it is written: its rules, and which form it lowers to (L5.3 to L5.15); lowers nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grammar import syntax
from grammar.declarations import Declarations
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import Substitution
from grammar.findings import Findings
from grammar.names import WORDS
from grammar.scopes import Engine
from grammar.source import Span

Serving = syntax.Advance | syntax.AdmitWaiting | syntax.Exclusive
EXCLUSIVE_FORM = "exclusive prefill …; admit waiting while (running.preempted == 0) …;"


@dataclass(slots=True)
class Schedule:
    """A schedule taken apart: its ``let``s with the earlier put into the later, and its statements."""

    engine: Engine
    written: syntax.Schedule
    lets: dict[str, syntax.Expr]
    body: tuple[syntax.ScheduleItem, ...]

    @property
    def span(self) -> Span:
        """The word."""
        return self.written.span


# ------------------------------------------------------------------------------- as written


def take_apart(to: Declarations, engine: Engine) -> Schedule:
    """The ``let``s and the statements of a schedule, with the rules about their places (L5.7, L5.14)."""
    written = engine.schedule
    assert written is not None
    findings = to.findings
    lets: dict[str, syntax.Expr] = {}
    where: dict[str, Span] = {}
    body: list[syntax.ScheduleItem] = []
    for item in written.block.items:
        if not isinstance(item, syntax.SLet):
            body.append(item)
        elif body:
            _misplaced_let(findings, item)
        elif _let_fits(to, item, where):
            lets[item.name.text] = Substitution(lets).node(item.value)
            where[item.name.text] = item.name.span
    for item in body:
        for inner in _branches(item):
            for nested in inner.items:
                if isinstance(nested, syntax.SLet):
                    _misplaced_let(findings, nested)
    schedule = Schedule(engine, written, lets, tuple(body))
    if not body:
        findings.error(
            "E901",
            written.block.span,
            "this schedule does nothing: it says what an iteration does",
            suggestion="advance running; admit waiting while (running.preempted == 0);",
        )
    elif not any(isinstance(n, syntax.Exclusive) for n in all_items(schedule.body)):
        _check_paths(findings, schedule)
    _check_exclusive(findings, schedule)
    _check_taking(findings, schedule)
    _check_registers(findings, schedule)
    return schedule


def _branches(item: syntax.ScheduleItem) -> Iterator[syntax.ScheduleBlock]:
    if isinstance(item, syntax.SBranch):
        for block in (item.then, item.orelse):
            if block is not None:
                yield block
                for inner in block.items:
                    yield from _branches(inner)


def all_items(items: Iterable[syntax.ScheduleItem]) -> Iterator[syntax.ScheduleItem]:
    """The statements and those in their branches, in order."""
    for item in items:
        yield item
        if isinstance(item, syntax.SBranch):
            yield from all_items(item.then.items)
            if item.orelse is not None:
                yield from all_items(item.orelse.items)


def _misplaced_let(findings: Findings, item: syntax.SLet) -> None:
    findings.error(
        "E902",
        item.span,
        "a schedule's `let` stands at the top, before its statements: its value is taken as the iteration starts",
        suggestion=f"move `let {item.name.text}` to the top, or write a `def` for a value read where it stands",
    )


def _let_fits(to: Declarations, item: syntax.SLet, where: dict[str, Span]) -> bool:
    """The name of a schedule's ``let`` (E918)."""
    text = item.name.text
    taken = to.constants.where.get(text)
    note: tuple[Note, ...] = ()
    if text in where:
        why, note = "a `let` of this schedule already", (Note("the first is here", where[text]),)
    elif text in WORDS or text == "self":
        why = "a word of the language"
    elif taken is not None:
        why, note = "a constant of the program", (Note("the constant is declared here", taken),)
    else:
        return to.fit("schedule let", item.name, "E918", words=True, functions=True) or True
    to.findings.error(
        "E918", item.name.span, f"`{text}` is {why} and cannot name a schedule's `let`", *note, suggestion="rename it"
    )
    return False


def _check_paths(findings: Findings, schedule: Schedule) -> None:
    """Every path through a schedule reaches an ``advance running`` or an ``admit waiting`` (L5.7)."""
    idle = _idle_path(schedule.body)
    if idle is None:
        return
    if isinstance(idle, syntax.SBranch):
        arm = "`else`" if idle.orelse is None or _idle_path(idle.then.items) is None else "first arm"
        message = (
            f"on the path through the {arm} of the branch at line {idle.span.line} the iteration reaches "
            "no `advance running` and no `admit waiting`"
        )
        findings.error("E909", idle.guard.span, message, suggestion="advance running;  on that path")
    else:
        findings.error(
            "E909",
            schedule.span,
            "this schedule reaches no `advance running` and no `admit waiting`",
            suggestion="advance running;",
        )


def _idle_path(items: Sequence[syntax.ScheduleItem]) -> syntax.SBranch | syntax.ScheduleBlock | bool | None:
    """The branch that makes a path without a serving statement, True where there is no branch to blame, None without one."""
    last: syntax.SBranch | None = None
    for item in items:
        if isinstance(item, Serving):
            return None
        if isinstance(item, syntax.SBranch):
            then = _idle_path(item.then.items)
            orelse = True if item.orelse is None else _idle_path(item.orelse.items)
            if then is None and orelse is None:
                return None
            last = item
    return last if last is not None else True


def _check_exclusive(findings: Findings, schedule: Schedule) -> None:
    """``exclusive prefill`` stands only in its one form (L5.6)."""
    exclusive = [i for i in all_items(schedule.body) if isinstance(i, syntax.Exclusive)]
    if exclusive and form_of(schedule) != "exclusive":
        findings.error(
            "E910",
            exclusive[0].span,
            f"`exclusive prefill` takes back decodes already chosen, so it stands only in the form `{EXCLUSIVE_FORM}`",
            suggestion=EXCLUSIVE_FORM,
        )


def _check_registers(findings: Findings, schedule: Schedule) -> None:
    """A register that a schedule of a form without ``set`` could not set keeps its first value (L5.10)."""
    if form_of(schedule) == "explicit":
        return
    for name, state in schedule.engine.states.items():
        findings.error(
            "E912",
            state.name.span,
            f"nothing sets the register `{name}`, which keeps its first value",
            suggestion=f"let {name} = …;  for a constant, or `set {name} = …;` in the schedule",
        )


def _check_taking(findings: Findings, schedule: Schedule) -> None:
    """Every ``admit waiting`` has the same ``taking``, as written; it belongs to a ``request`` (L6.4)."""
    engine = schedule.engine
    admits = [i for i in all_items(schedule.body) if isinstance(i, syntax.AdmitWaiting)]
    takings = [a.taking for a in admits if a.taking is not None]
    if not takings:
        return
    first = takings[0]
    if engine.queue is not None:
        findings.error("E1026", first.span, "a queue's engine has no `request`, so its schedule has no `taking`")
        return
    if engine.request is None:
        findings.error(
            "E1010",
            first.span,
            f"engine `{engine.name}` has no `request` for this `taking` to be of",
            suggestion="give the engine a `request (…) { … }`, or hold the pools in the server",
        )
        return
    for admit in admits:
        if admit.taking != first:
            findings.error(
                "E1012",
                first.span if admit.taking is None else admit.taking.span,
                "every `admit waiting` of a schedule says the same `taking`: an admission takes the same wherever it is made",
                Note("another `admit waiting` is here", admit.span if admit.taking is None else first.span),
            )
            engine.taking_wrong = True
            break
    engine.taking = first


# ------------------------------------------------------------------------------- forms


def reads_of_any_request(schedule: Schedule) -> tuple[syntax.Node, ...]:
    """The predicate and the order of a form that is known as a whole: read of any request, so of no hold's names (L5.15).

    The reference draws the line here: in the default form and in that of one ``only`` a binding is refused, while the
    same keys in a schedule carried out statement by statement may read one.
    """
    first = schedule.body[0] if form_of(schedule) in ("default", "only") else None
    if not isinstance(first, syntax.Advance):
        return ()
    return tuple(node for node in (first.only, first.order) if node is not None)


def never_preempted(gate: syntax.Expr | None) -> bool:
    """Whether a condition is one of the three spellings of "nothing was preempted" (L5.15)."""
    if isinstance(gate, syntax.Unary) and gate.op == "!":
        return _is_preempted(gate.operand)
    if isinstance(gate, syntax.Binary) and gate.op == "==":
        return (_is_preempted(gate.left) and _is_zero(gate.right)) or (_is_zero(gate.left) and _is_preempted(gate.right))
    return False


def _is_preempted(e: syntax.Expr) -> bool:
    return isinstance(e, syntax.NameExpr) and e.ref.text == "running.preempted" and e.ref.index is None


def _is_zero(e: syntax.Expr) -> bool:
    return isinstance(e, syntax.Number) and e.value == 0


def form_of(schedule: Schedule) -> str:
    """Which of the four forms a schedule lowers to: default, only, exclusive or explicit (L5.15)."""
    if len(schedule.body) != 2:
        return "explicit"
    first, second = schedule.body
    if not isinstance(second, syntax.AdmitWaiting) or not never_preempted(second.gate):
        return "explicit"
    if isinstance(first, syntax.Exclusive):
        return "exclusive" if second.only is None else "explicit"
    if isinstance(first, syntax.Advance) and first.only == second.only:
        return "default" if first.only is None else "only"
    return "explicit"

"""The rules of a queue's entry as it is written, called or not (L8.5 to L8.8); knows no expansion."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from grammar import syntax
from grammar.attributes import assigned
from grammar.bodies import assignments
from grammar.declarations import Declarations
from grammar.declaring import dataclass
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import Findings, hint
from grammar.holds import check_moved, names_read
from grammar.names import SCHEDULER_SET, SUPPLIED
from grammar.scopes import Model, Queue
from grammar.source import Span
from grammar.values import check_indices, check_known, in_terms, values_read
from grammar.vocabulary import POOL_FUNCTIONS, STAGE_FUNCTIONS


@dataclass(slots=True)
class EntryRules:
    """Checks one entry of a role but a gateway's, which reads and sets as the server does (L8.3)."""

    to: Declarations
    queue: Queue
    entry: syntax.Entry
    session: frozenset[str]
    hidden: frozenset[str]
    params: set[str] = field(default_factory=set)
    locals: dict[str, Span] = field(default_factory=dict)

    def check(self) -> None:
        """Every rule that can be told from the text of the entry."""
        self._parameters()
        for node in walk(self.entry.body):
            self._stored(node)
            self._pools(node)
            self._references(node)
        self._reads()
        self._headers(self.entry.body.statements, set())

    @property
    def findings(self) -> Findings:
        """Where errors are told."""
        return self.to.findings

    @property
    def model(self) -> Model:
        """The program's names."""
        return self.to.model

    @property
    def shown(self) -> str:
        """The entry by name."""
        return f"{self.queue.name}.{self.entry.verb.text}"

    def _parameters(self) -> None:
        seen: dict[str, Span] = {}
        for param in self.entry.params or ():
            text = param.text
            if text in seen:
                self.findings.error("E1002", param.span, f"`{text}` is a parameter twice", Note("the first is here", seen[text]))
            elif text in SUPPLIED or text == "self":
                self.findings.error("E1303", param.span, f"`{text}` is a name the language supplies and cannot name a parameter")
            seen.setdefault(text, param.span)
        self.params = set(seen)
        for name in assignments(self.entry.body):
            self.locals.setdefault(name.text, name.span)
            if name.text in seen:
                self.findings.error(
                    "E1009",
                    name.span,
                    f"`{name.text}` is a parameter of `{self.shown}`, which stands for the argument and cannot be assigned",
                    Note("the parameter is here", seen[name.text]),
                    suggestion="assign another name",
                )

    # ------------------------------------------------------------------ pools and stages

    def _stored(self, node: syntax.Node) -> None:
        """The amounts of ``kvt.l2_store`` are read in its own hold, whose ``cached`` is the second tier's (L8.11)."""
        if not isinstance(node, syntax.CallStatement) or node.ref.text != "kvt.l2_store":
            return
        for amount in node.args[2:]:
            for read in values_read(amount):
                if read.text == "cached":
                    self.findings.error(
                        "E1323",
                        read.span,
                        "`cached` in the amounts of `kvt.l2_store` would be what the second tier had cached",
                        suggestion="set c = cached;  above, and read `c` here",
                    )

    def _pools(self, node: syntax.Node) -> None:
        """What an entry takes, grows, loads and gives back is its queue's, or the lease its ``from`` names (E1305)."""
        source = None if self.entry.source is None else self.entry.source.text
        for ref in _allocated(node):
            if ref.text != source:
                self._own(ref, "" if source is None else f", and `{source}`, the lease its `from` takes")
        if isinstance(node, syntax.Hold) and node.lease is not None:
            self._own(node.lease.pool)

    def _own(self, ref: syntax.Ref, besides: str = "") -> None:
        pools = self.queue.pools
        if len(ref.names) == 1 and ref.text in pools:
            return
        dotted = len(ref.names) == 2 and ref.names[0].text == self.queue.name and ref.names[1].text in pools
        there = ", ".join(f"`{p}`" for p in pools) or "none"
        self.findings.error(
            "E1316" if dotted else "E1305",
            ref.span,
            f"`{self.shown}` uses its queue's own pools, by their bare names: {there}{besides}",
            suggestion=ref.names[1].text if dotted else hint(ref.text, pools),
        )

    def _references(self, node: syntax.Node) -> None:
        """Own pools and the own stage are the member's and take no index; so does the name after ``from`` (E1316)."""
        if not isinstance(node, syntax.Ref) or node.index is None or len(node.names) > 1:
            return
        text = node.names[0].text
        source = self.entry.source is not None and text == self.entry.source.text
        if text in self.queue.pools or text == self.queue.name or source:
            self.findings.error(
                "E1316", node.span, f"inside queue `{self.queue.name}` `{text}` is the member's and takes no index", suggestion=text
            )

    def _bare(self, ref: syntax.Ref) -> None:
        self.findings.error(
            "E1316", ref.span, f"`{ref.text}` is the queue's own and named bare inside it", suggestion=ref.names[-1].text
        )

    # ------------------------------------------------------------------ reads

    def _reads(self) -> None:
        check_indices(self.findings, self.entry.body, {*self.params, *self.locals}, f"`{self.shown}`")
        for read in values_read(self.entry.body):
            text = read.text
            first = read.names[0].text
            if text in self.params or first in self.locals or text in SCHEDULER_SET or text in self.hidden:
                continue
            if text in self.session:
                self.findings.error(
                    "E1304",
                    read.span,
                    f"`{text}` is the session's, and `{self.shown}` sees its parameters, its own names and hidden attributes",
                    suggestion=f"pass `{text}` as a parameter",
                )
            elif text == "self" and self.queue.size is None:
                self.findings.error("E1318", read.span, f"queue `{self.queue.name}` is no family, and `self` is a member's number")
            elif len(read.names) > 1 and first == self.queue.name and read.names[-1].text in self.queue.marks:
                self.findings.error("E1032", read.span, f"`{text}` is a mark of this queue, set inside it and read outside it only")
            elif len(read.names) > 1 and first in self.model.queues and first != self.queue.name:
                self.findings.error(
                    "E1032",
                    read.span,
                    f"`{text}` is another queue's, and an entry sees its own: the gateway or the server reads across queues",
                    suggestion="pass the value as a parameter",
                )
            elif text in self.queue.marks:
                self.findings.error(
                    "E504", read.span, f"`{text}` is a mark, which is read outside the queue as `{self.queue.name}.{text}`"
                )
            elif text in self.queue.pools:
                self.findings.error(
                    "E504",
                    read.span,
                    f"`{text}` is a pool and no number; a pool is read by `used({text})`, `free({text})` and the like",
                )
            elif text != "self":
                check_known(self.to, read, (*self.params, *self.locals))
        for call in walk(self.entry.body):
            if isinstance(call, syntax.CallExpr):
                self._function(call)

    def _function(self, call: syntax.CallExpr) -> None:
        """The pools and stages an entry reads are its queue's, and what ``from`` names (E1032)."""
        name = call.ref.text
        of_pool = name in POOL_FUNCTIONS or name == "blocksize"
        if not (of_pool or name in STAGE_FUNCTIONS) or not call.args or not isinstance(call.args[0], syntax.NameExpr):
            return
        ref = call.args[0].ref
        text = ref.text
        own = text in self.queue.pools or text == self.queue.name or text in self.params
        if own or (self.entry.source is not None and text == self.entry.source.text):
            return
        tier = self.model.queues.get(ref.names[0].text)
        if tier is not None and "l2" in tier.roles and tier is not self.queue:
            return
        if ref.names[0].text == self.queue.name:
            self._bare(ref)
            return
        there = [*self.queue.pools] if of_pool else [self.queue.name]
        self.findings.error(
            "E1032",
            ref.span,
            f"`{text}` is no {'pool' if of_pool else 'stage'} of queue `{self.queue.name}`: an entry reads its own",
            suggestion=hint(text, there) or "pass the value as a parameter",
        )

    # ------------------------------------------------------------------ headers

    def _headers(self, statements: Iterable[syntax.Statement], before: set[str]) -> set[str]:
        """Check each hold's header against the names set on every path before it (L8.7); the names set after these."""
        known = set(before)
        for node in statements:
            if isinstance(node, syntax.Hold):
                self._header(node, known)
                known |= self._headers(node.body.statements, known)
            elif isinstance(node, syntax.Branch):
                then = self._headers(node.then.statements, known)
                orelse = known if node.orelse is None else self._headers(node.orelse.statements, known)
                known |= then & orelse
            elif isinstance(node, syntax.While | syntax.Fork):
                self._headers(node.body.statements, known)
            elif isinstance(node, syntax.Loop):
                known |= self._headers(node.body.statements, known)
            known.update(name.text for name in assigned(node))
        return known

    def _header(self, hold: syntax.Hold, before: set[str]) -> None:
        live = frozenset({"cached", "now", *self.model.registers}) - self.params
        check_moved(self.findings, hold.bindings or (), in_terms(hold.bindings or ()), names_read(hold.body), live)
        bound = {b.name.text for b in hold.bindings or ()}
        parts = [b.value for b in hold.bindings or ()]
        for take in hold.takes:
            parts.extend(e for e in (take.units, take.reserve) if e is not None)
        if hold.reuse is not None:
            parts.append(hold.reuse)
        for part in parts:
            for read in values_read(part):
                self._header_read(read, before | bound)

    def _header_read(self, read: syntax.Ref, known: set[str]) -> None:
        text = read.text
        if text in self.params or text in known or text in SCHEDULER_SET:
            return
        if text in self.locals:
            self.findings.error(
                "E1025",
                read.span,
                f"`{text}` is not set on every path before this hold's admission: there it would be what an earlier call left",
                Note("it is set here", self.locals[text]),
                suggestion="set it above the hold",
            )
        elif text in self.hidden:
            self.findings.error(
                "E613",
                read.span,
                f"`{text}` is hidden from the scheduler, and a hold's header is read by it",
                suggestion="pass a prediction as a parameter",
            )
        elif text == "now":
            self.findings.error(
                "E1322",
                read.span,
                "the clock moves while a request waits: `now` cannot be read in an entry's header",
                suggestion="pass it as a parameter",
            )


def _allocated(node: syntax.Node) -> tuple[syntax.Ref, ...]:
    """The pools a statement names to take from them or to give back; ``kvt.l2_load`` loads the pool it is given."""
    if isinstance(node, syntax.Hold):
        return tuple(take.pool for take in node.takes)
    if isinstance(node, syntax.Grow | syntax.Load | syntax.Drop | syntax.Release):
        return (node.pool,)
    if isinstance(node, syntax.Run | syntax.ModeRun):
        return () if node.growing is None else (node.growing,)
    if isinstance(node, syntax.Transfer):
        return tuple(ref for ref in (node.source, node.dest) if ref is not None)
    if isinstance(node, syntax.CallStatement) and node.ref.text == "kvt.l2_load":
        return tuple(arg.ref for arg in node.args[1:2] if isinstance(arg, syntax.NameExpr))
    return ()


def check_outside(findings: Findings, model: Model, node: syntax.Node) -> None:
    """Only a queue's entries hold its pools, grow them and give them back (E1317)."""
    for inner in walk(node):
        for ref in _allocated(inner):
            first = ref.names[0].text
            if len(ref.names) == 2 and first in model.queues and ref.names[1].text in model.queues[first].pools:
                findings.error(
                    "E1317",
                    ref.span,
                    f"`{ref.names[1].text}` is a pool of queue `{first}`, and only `{first}`'s entries hold it",
                    Note("the queue is declared here", model.queues[first].decl.name.span),
                    suggestion=f"call an entry: {first}.VERB (…);",
                )

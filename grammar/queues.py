"""Takes in queues, their roles and entries (L8.1 to L8.6); expands nothing."""

from __future__ import annotations

from collections.abc import Iterable

from grammar import syntax
from grammar.declarations import Declarations
from grammar.deployment import declare_device, declare_engine
from grammar.diagnostics import Note
from grammar.expansion import walk
from grammar.findings import hint
from grammar.names import ROLES, SERVING_WORDS
from grammar.owned_pools import declare_owned_pool
from grammar.scopes import Pool, Queue

VERBS: dict[str, tuple[str, int]] = {
    "gateway": ("route", 0),
    "prefill": ("prefill", 1),
    "decode": ("decode", 1),
    "link": ("transfer", 1),
}
"""The entry of each role and how many parameters it has (L8.3)."""

SIGNATURES = {
    "gateway": "route { … }",
    "prefill": "prefill (prompt) { … }",
    "decode": "decode (prompt) { … }",
    "link": "transfer (n) { … }",
}
"""The entry of each role as it is written."""


def declare_queue(to: Declarations, decl: syntax.Queue) -> None:
    """``queue Q [N] [: ROLE, …] { … }``: pools, devices, one stage, a ``nic``, then entries (L8.2)."""
    name = decl.name.text
    if name in SERVING_WORDS or name == "kvt":
        to.findings.error(
            "E1310",
            decl.name.span,
            f"`{name}` is a role or a serving word and names no queue",
            suggestion=f"rename it, such as `{name}s`",
        )
        return
    has_engine = any(isinstance(i, syntax.Engine) for i in decl.items)
    if has_engine and not to.fit("engine", decl.name, "E801", words=False, functions=True):
        return
    if not has_engine and not to.fit("queue", decl.name, "E501", words=True, functions=True):
        return
    size = to.size(decl.size)
    if not to.claim("queue", decl.name):
        return
    queue = Queue(name, decl, size, to.order, tuple(r.text for r in decl.roles))
    to.model.queues[name] = queue
    told = len(to.findings.errors)
    _roles(to, queue)
    _Items(to, queue).take_in()
    if len(to.findings.errors) == told:
        _check_roles(to, queue)
        check_sources(to, queue)
    if len(to.findings.errors) > told:
        to.broken.add(name)


def _roles(to: Declarations, queue: Queue) -> None:
    seen = set()
    for role in queue.decl.roles:
        if role.text not in ROLES:
            to.findings.error(
                "E1301",
                role.span,
                f"`{role.text}` is no role: a queue plays {', '.join(ROLES[:-1])} or {ROLES[-1]}",
                suggestion=hint(role.text, ROLES),
            )
        elif role.text in seen:
            to.findings.error("E1301", role.span, f"queue `{queue.name}` names the role `{role.text}` twice")
        seen.add(role.text)
    if "gateway" in seen and queue.size is not None:
        to.findings.error(
            "E1308",
            queue.decl.span,
            f"a gateway is one queue and no family: the requests enter `{queue.name}`",
            suggestion=f"queue {queue.name} : gateway {{ … }}",
        )


class _Items:
    """The items of one queue in their order (E1319)."""

    def __init__(self, to: Declarations, queue: Queue) -> None:
        self.to = to
        self.queue = queue
        self.entries_begun = False

    def take_in(self) -> None:
        for item in self.queue.decl.items:
            if isinstance(item, syntax.Entry):
                self.entries_begun = True
                self._entry(item)
            elif self.entries_begun:
                word = "nic" if isinstance(item, syntax.Nic) else "pools, devices and its stage"
                self.to.findings.error(
                    "E1319",
                    item.span,
                    f"queue `{self.queue.name}` declares its {word} above its entries",
                    suggestion="move this above the entries",
                )
                if isinstance(item, syntax.Nic):
                    self._nic(item)
            elif isinstance(item, syntax.Pool):
                self._pool(item)
            elif isinstance(item, syntax.Device):
                self._device(item)
            elif isinstance(item, syntax.Engine):
                self._engine(item)
            elif isinstance(item, syntax.ServeStage):
                self._serve(item)
            else:
                self._nic(item)

    def _pool(self, decl: syntax.Pool) -> None:
        queue, to = self.queue, self.to
        if decl.owner is not None:
            if decl.size is not None:
                self._member(decl.size, f"pool {decl.name.text}")
            declare_owned_pool(to, decl, queue)
            return
        if queue.stage is not None or queue.engine is not None:
            to.findings.error(
                "E1319",
                decl.span,
                f"queue `{queue.name}` declares its own pools above its stage",
                suggestion="move the pool above `serve` or `engine`, or put it `on` the device or engine",
            )
            return
        if decl.size is not None:
            self._member(decl.size, f"pool {decl.name.text}")
        shown = f"{queue.name}.{decl.name.text}"
        if not to.claim("pool", decl.name, shown):
            return
        pool = to.pool_family(decl, shown, queue.size)
        pool.queue = queue
        queue.pools[decl.name.text] = pool

    def _member(self, size: syntax.Expr, what: str) -> None:
        self.to.findings.error(
            "E1316",
            size.span,
            f"what a queue declares is the member's, one for each of `{self.queue.name}`, and takes no `[N]`",
            suggestion=f"{what} …",
        )

    def _device(self, decl: syntax.Device) -> None:
        if decl.name.text == self.queue.name:
            self.to.findings.error(
                "E801", decl.name.span, f"`{decl.name.text}` is the queue itself, and its device needs another name"
            )
            return
        device = declare_device(self.to, decl, self.queue)
        if device is not None:
            self.queue.devices[decl.name.text] = device

    def _engine(self, decl: syntax.Engine) -> None:
        queue, to = self.queue, self.to
        if decl.name is not None:
            to.findings.error(
                "E1312",
                decl.name.span,
                f"in a queue the engine is the queue's and is named after it: `{decl.name.text}` is one name too many",
                suggestion=f"engine on {decl.device.text} {{ … }}",
            )
            return
        if self._second_stage(decl):
            return
        queue.engine = declare_engine(to, decl, queue)
        if queue.engine is not None:
            queue.stage = queue.engine.stage

    def _second_stage(self, item: syntax.Node) -> bool:
        if self.queue.stage is None:
            return False
        self.to.findings.error(
            "E1319",
            item.span,
            f"queue `{self.queue.name}` is one stage and has one `serve` or one `engine`",
            Note("the first is here", self.queue.stage.span),
        )
        return True

    def _serve(self, item: syntax.ServeStage) -> None:
        queue, to = self.queue, self.to
        if self._second_stage(item):
            return
        queue.stage = to.stage_family(queue.name, item.span, queue.size)
        queue.stage.kind, queue.stage.queue = item.kind, queue
        if item.latency is None:
            return
        if "link" not in queue.roles:
            to.findings.error(
                "E1320",
                item.latency.span,
                f"`latency` is a link's fixed wait, and queue `{queue.name}` plays no `link`",
                suggestion="drop it",
            )
            return
        queue.latency_value = to.constants.number(item.latency) or 0.0
        queue.latency = to.stage_family(f"{queue.name}.latency", item.latency.span, queue.size)

    def _nic(self, item: syntax.Nic) -> None:
        queue, to = self.queue, self.to
        if queue.nic is not None:
            to.findings.error(
                "E1319", item.span, f"queue `{queue.name}` has its `nic` twice", Note("the first is here", queue.nic.span)
            )
            return
        queue.nic = to.stage_family(f"{queue.name}.nic", item.span, queue.size)
        queue.nic.kind, queue.nic.queue, queue.nic.role = item.kind, queue, "nic"

    def _entry(self, entry: syntax.Entry) -> None:
        queue, to = self.queue, self.to
        verb = entry.verb.text
        key = (verb, entry.source is not None)
        params = len(entry.params or ())
        role = next((r for r, (v, _) in VERBS.items() if v == verb and r in queue.roles), None)
        if role is None and not set(queue.roles) <= set(ROLES):
            return
        if role is None:
            verbs = [VERBS[r][0] for r in queue.roles if r in VERBS]
            to.findings.error(
                "E1303",
                entry.verb.span,
                f"`{verb}` is no entry of a role of queue `{queue.name}`",
                suggestion=hint(verb, verbs) or (f"its entries are: {', '.join(verbs)}" if verbs else None),
            )
        elif params != VERBS[role][1]:
            to.findings.error(
                "E1303",
                entry.verb.span,
                f"`{queue.name}.{verb}` has {params} parameters, and the role `{role}` gives it {VERBS[role][1]}",
                suggestion=SIGNATURES[role],
            )
        elif entry.source is not None and role != "decode":
            to.findings.error("E1303", entry.source.span, f"`{verb}` takes no `from`; only a `decode` entry does")
        elif key in queue.entries:
            to.findings.error(
                "E1319",
                entry.verb.span,
                f"queue `{queue.name}` has this entry twice",
                Note("the first is here", queue.entries[key].verb.span),
            )
        else:
            queue.entries[key] = entry


def _check_roles(to: Declarations, queue: Queue) -> None:
    """Every role has its entry (E1302), and links and second tiers are what L8.3 says."""
    verbs = {verb for verb, _ in queue.entries}
    written = {e.verb.text for e in queue.decl.items if isinstance(e, syntax.Entry)}
    for role in queue.roles:
        if role not in VERBS or role == "link":
            continue
        verb = VERBS[role][0]
        if verb not in verbs and verb not in written:
            to.findings.error(
                "E1302",
                queue.decl.span,
                f"queue `{queue.name}` plays `{role}` and has no entry `{verb}`",
                suggestion=SIGNATURES[role],
            )
    if "link" in queue.roles:
        _check_link(to, queue, "transfer" in verbs)
    if "l2" in queue.roles:
        _check_second_tier(to, queue)


def _check_link(to: Declarations, queue: Queue, called: bool) -> None:
    if queue.stage is None and not called:
        to.findings.error(
            "E1320",
            queue.decl.span,
            f"the link `{queue.name}` has no `serve` and no entry `transfer`: nothing says what a transfer over it costs",
            suggestion="serve ps(RATE);",
        )
    if queue.latency is not None and called:
        to.findings.error(
            "E1320",
            queue.decl.span,
            f"the link `{queue.name}` has an entry `transfer` and a `latency`: a called link's time is its entry's",
            Note("the latency is here", queue.latency.span),
            suggestion="write the wait as a `run` in the entry",
        )


def _check_second_tier(to: Declarations, queue: Queue) -> None:
    rule = f"queue `{queue.name}` plays `l2`: it is one pool and a `serve`, with no engine, `nic`, entry, other role or `[N]`"
    whole = (
        len(queue.pools) == 1
        and queue.stage is not None
        and queue.engine is None
        and queue.nic is None
        and not queue.entries
        and queue.roles == ("l2",)
        and queue.size is None
        and not queue.devices
    )
    if not whole:
        to.findings.error(
            "E1315", queue.decl.span, rule, suggestion=f"queue {queue.name} : l2 {{ pool kv {{ cap C; }} serve ps(RATE); }}"
        )


# ------------------------------------------------------------------------------- what entries lease


def leased_pool(queue: Queue, entries: Iterable[syntax.Entry]) -> Pool | None:
    """The one pool of a queue its entries lease, None where none or several are (L8.6)."""
    found: set[str] = set()
    for entry in entries:
        for node in walk(entry.body):
            if isinstance(node, syntax.Hold) and node.lease is not None:
                found.add(node.lease.pool.names[-1].text)
    return queue.pools.get(next(iter(found))) if len(found) == 1 else None


def check_sources(to: Declarations, queue: Queue) -> None:
    """``decode (p) from P``: P is a queue declared above whose entries lease one pool (L8.6)."""
    for entry in queue.entries.values():
        if entry.source is None:
            continue
        name = entry.source.text
        source = to.model.queues.get(name)
        if source is None or source.order >= queue.order:
            to.findings.error(
                "E1306",
                entry.source.span,
                f"no queue `{name}` is declared above: `from` names the queue whose entry leased the KV",
                suggestion=hint(name, to.model.queues),
            )
            continue
        if name in to.broken:
            continue
        source.leased = leased_pool(source, source.entries.values())
        if source.leased is None:
            to.findings.error(
                "E1306",
                entry.source.span,
                f"no entry of `{name}` leases a pool, or not all the same: `{queue.name}.{entry.verb.text}` has nothing to take",
                Note(f"queue `{name}` is declared here", source.decl.name.span),
                suggestion="hold POOL (…) { … } lease POOL (inf);  in its entry",
            )

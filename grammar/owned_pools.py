"""Takes in the pools on a device or an engine (L4.3 to L4.6); knows no expressions."""

from __future__ import annotations

from grammar import syntax
from grammar.declarations import Declarations
from grammar.diagnostics import Note
from grammar.findings import hint
from grammar.scopes import Capacity, Device, Engine, Pool, Queue
from grammar.source import Span


def declare_owned_pool(to: Declarations, decl: syntax.Pool, queue: Queue | None = None) -> None:
    """``pool NAME on OWNER { … }``: its capacity, its family and who admits it come from OWNER (L4.3)."""
    owner = decl.owner
    assert owner is not None
    found = _owner(to, owner, queue, decl)
    if found is None:
        return
    holder, admits = found
    shown = decl.name.text if queue is None else f"{queue.name}.{decl.name.text}"
    capacity = _capacity_of(to, decl, holder)
    if capacity is None:
        return
    if decl.size is not None:
        to.findings.error(
            "E708",
            decl.name.span,
            f"`{decl.name.text}` is a family as its owner is and takes no `[N]`",
            suggestion=f"pool {decl.name.text} on {owner.name.text} {{ … }}",
        )
    for option in decl.options:
        if option.kind == "cap":
            to.findings.error(
                "E703",
                option.span,
                f"the capacity of `{shown}` is its owner's, written there as `{decl.name.text} cap …;`",
                Note("it is written here", capacity.name.span),
            )
    if capacity.pool is not None:
        to.findings.error(
            "E710",
            _owner_span(owner),
            f"the capacity `{decl.name.text}` of `{holder.name}` is declared as a pool twice",
            Note("the first is here", capacity.pool.span),
        )
        return
    if queue is None and not to.fit("pool", decl.name, "E501", words=True, functions=True):
        return
    if not to.claim("pool", decl.name, shown):
        return
    size = holder.size if capacity.lanes is None else capacity.lanes
    pool = to.pool_family(decl, shown, size)
    pool.owner, pool.admitted_by, pool.queue = holder, admits, queue
    capacity.pool = pool
    if queue is not None:
        queue.pools[decl.name.text] = pool
    if admits is not None:
        admits.admits.append(pool)
    if isinstance(holder, Device):
        _memory(to, pool, holder, owner)


def _memory(to: Declarations, pool: Pool, device: Device, owner: syntax.Owner) -> None:
    """Two pools on a device with an engine: which would be its KV? (L4.4); the engine may stand below."""
    if device.pools and device.engine is not None:
        to.findings.error(
            "E711",
            _owner_span(owner),
            f"device `{device.name}` runs an engine and holds pool `{device.pools[0].name}` already: which is the engine's KV?",
            Note("the first is here", device.pools[0].span),
            suggestion="move one to the engine as a capacity of its own, or make it a plain pool",
        )
    device.pools.append(pool)


def _capacity_of(to: Declarations, decl: syntax.Pool, holder: Device | Engine) -> Capacity | None:
    text = decl.name.text
    capacity = holder.capacities.get(text)
    if capacity is not None:
        return capacity
    if isinstance(holder, Device) and text in holder.times:
        to.findings.error(
            "E707",
            decl.name.span,
            f"`{text}` is a time resource of device `{holder.name}`, a time and not a capacity",
            Note("it is declared here", holder.times[text].name.span),
        )
        return None
    there = ", ".join(f"`{c}`" for c in holder.capacities) or "none"
    to.findings.error(
        "E706",
        decl.name.span,
        f"`{holder.name}` has no capacity `{text}`; its capacities are: {there}",
        suggestion=hint(text, holder.capacities) or f"{text} cap …;  in `{holder.name}`",
    )
    return None


def _owner(
    to: Declarations, owner: syntax.Owner, queue: Queue | None, decl: syntax.Pool
) -> tuple[Device | Engine, Engine | None] | None:
    """What a pool is on, and the engine that admits it (L4.3); None after telling what is wrong."""
    text = owner.name.text
    model = to.model
    if queue is not None:
        engine = queue.engine if text == queue.name else None
        device = queue.devices.get(text)
        if engine is None and text in model.engines and owner.device is not None:
            engine = model.engines[text]
    else:
        engine, device = model.engines.get(text), model.devices.get(text)
        if engine is not None and engine.queue is not None:
            to.findings.error(
                "E705",
                owner.name.span,
                f"`{text}` is a queue's engine, which admits the queue's own pools",
                suggestion=f"declare `pool {decl.name.text} on {text}` in queue `{text}`",
            )
            return None
    if owner.device is None:
        if engine is not None:
            return engine, engine
        if device is not None:
            return device, None
        _no_owner(to, owner, queue)
        return None
    if engine is None:
        _no_owner(to, owner, queue)
        return None
    wanted = owner.device.text
    if engine.device.decl.name.text != wanted or engine.queue is not queue:
        to.findings.error(
            "E712",
            _owner_span(owner),
            f"engine `{engine.name}` runs on device `{engine.device.name}`, and `on ENGINE.DEVICE` names the device it runs on",
            Note("the engine is declared here", engine.stage.span),
            suggestion=f"on {text}.{engine.device.decl.name.text}",
        )
        return None
    return engine.device, engine


def _owner_span(owner: syntax.Owner) -> Span:
    """What stands after ``on``."""
    return owner.name.span if owner.device is None else owner.name.span.to(owner.device.span)


def _no_owner(to: Declarations, owner: syntax.Owner, queue: Queue | None) -> None:
    text = owner.name.text
    if to.broken:
        return  # what was told to be wrong may be what is meant here
    where = f"in queue `{queue.name}` above this pool" if queue else "above this pool"
    known = [*queue.devices, queue.name] if queue else [*(d for d in to.model.devices if "." not in d), *to.model.engines]
    kind = "engine" if owner.device is not None else "device or engine"
    to.findings.error(
        "E705",
        _owner_span(owner),
        f"no {kind} `{text}` is declared {where}",
        suggestion=hint(text, known) or f"move the pool below `{text}`",
    )


def check_capacities(to: Declarations) -> None:
    """Every capacity is declared by exactly one pool (E709); two pools may turn out to stand on an engine's device (E711)."""
    holders: list[Device | Engine] = [*to.model.devices.values(), *to.model.engines.values()]
    for holder in holders:
        for capacity in holder.capacities.values():
            if capacity.pool is None:
                text = capacity.name.text
                to.findings.error(
                    "E709",
                    capacity.name.span,
                    f"the capacity `{text}` of `{holder.name}` is declared by no pool",
                    suggestion=f"pool {text} on {holder.decl.name.text if holder.decl.name else holder.name} {{ }}",
                )
    for device in to.model.devices.values():
        if device.engine is not None and len(device.pools) > 1 and not to.findings.errors:
            second = device.pools[1]
            assert second.decl is not None and second.decl.owner is not None
            to.findings.error(
                "E711",
                _owner_span(second.decl.owner),
                f"device `{device.name}` runs an engine and holds two pools: which is the engine's KV?",
                Note("the first is here", device.pools[0].span),
                suggestion="move one to the engine as a capacity of its own, or make it a plain pool",
            )

"""Which pools cache prefixes in a tree, where chains share what they have in common and pieces are parted; runs nothing."""

from __future__ import annotations

from grammar import ir


def chained_pools(program: ir.Program) -> frozenset[int]:
    """The pools whose cached prefixes are kept in a tree (``engine.shared_prefixes``).

    They have blocks, and a hold or a request of theirs names a chain, or what spills into them
    may be no whole block of theirs: only whole blocks of that are taken over, and what of a
    block is left stays behind them (measured). Any other pool would go the same in a tree, at
    more cost.
    """
    takes: list[ir.Take] = []
    for block in program.blocks:
        for statement in block:
            if isinstance(statement, ir.Hold) and statement.prefix is not None:
                takes += statement.pools
    for stage in program.stages:
        if isinstance(stage.kind, ir.Step) and stage.kind.request is not None and stage.kind.request.prefix is not None:
            takes += stage.kind.request.pools
    pools = program.pools
    chained = {index for take in takes for index in range(take.pool.base, take.pool.base + take.pool.count)}
    chained = {index for index in chained if pools[index].block}
    while True:
        filled = {
            pool.spill.to
            for index, pool in enumerate(pools)
            if pool.spill is not None and _in_pieces(pool, pools[pool.spill.to], index in chained)
        }
        if filled <= chained:
            return frozenset(chained)
        chained |= filled


def _in_pieces(source: ir.Pool, target: ir.Pool, chained: bool) -> bool:
    """Whether what a pool spills into another may be no whole block of that: where it is evicted in pieces, or in other blocks."""
    if not target.block:
        return False
    return chained or not source.block or source.block % target.block != 0

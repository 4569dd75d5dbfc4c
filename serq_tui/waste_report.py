"""The waste ledger of a whole run, as a section of the text report and as JSON data; computes no figure of its own."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from engine.simulation import Simulation
from engine.waste import EngineWaste, Ledger, Waste
from grammar import ir
from serq_tui.format import amount
from serq_tui.report_json import samples_json
from serq_tui.report_sections import Column, Section
from serq_tui.waste_rows import share


def waste_of(program: ir.Program) -> tuple[EngineWaste, ...]:
    """Runs a program once more with somebody listening: the waste of each of its engines."""
    simulation = Simulation(program)
    ledger = Ledger(simulation)
    simulation.listen(ledger)
    simulation.run()
    return ledger.accounts()


def waste_json(accounts: tuple[EngineWaste, ...]) -> list[dict[str, Any]]:
    """The totals, an object an engine."""
    return [{"engine": account.name, **_figures(account.total)} for account in accounts]


def _figures(waste: Waste) -> dict[str, Any]:
    return {field.name: samples_json(getattr(waste, field.name)) for field in fields(waste)}


def waste_section(accounts: tuple[EngineWaste, ...]) -> Section:
    """The totals as a table, a row an engine."""
    headings = ("tokens", "useful", "recomputed", "after evictions", "share", "lost", "never allocated", "never computed")
    return Section("waste", tuple(map(Column, headings)), tuple((account.name, *_row(account.total)) for account in accounts))


def _row(total: Waste) -> tuple[str, ...]:
    tokens = (total.tokens, total.useful, total.preempted, total.evicted)
    units = (total.lost, total.unallocated, total.uncomputed)
    return (*map(amount, tokens), share(total.recomputed, total.tokens), *map(amount, units))

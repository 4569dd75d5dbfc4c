"""Links programs for their warnings, and runs those that are said to stand still."""

from __future__ import annotations

from engine.simulation import Simulation
from grammar.diagnostics import Diagnostic
from grammar.link import link
from grammar.settings import Settings
from grammar.source import Source
from serq_tui.report_json import report_json


def warnings(text: str, settings: Settings | None = None) -> tuple[Diagnostic, ...]:
    return link(Source("test", text), settings or Settings(100.0)).warnings


def warned(text: str, settings: Settings | None = None) -> list[tuple[str, str]]:
    """Each warning's number and the piece it points at."""
    lines = text.split("\n")
    found = []
    for warning in warnings(text, settings):
        span = warning.span
        assert span is not None
        assert span.line == span.end_line
        found.append((warning.id, lines[span.line - 1][span.column - 1 : span.end_column - 1]))
    return found


def idle_with_work(text: str) -> bool:
    """Whether a run of the program ends with its first stage idle and somebody waiting or running."""
    simulation = Simulation(link(Source("test", text), Settings(100.0)).program)
    simulation.run()
    simulation.close()
    idle: bool = report_json(simulation.report())["stages"][0]["idle_with_work"]
    return idle


def engine(
    schedule: str,
    *,
    states: str = "",
    on: str = "llm",
    server: str = "hold reqs (cost(reqs, 1)) { run llm prefill (cost(llm, 8)); }",
) -> str:
    """Three requests of one iteration each, on an engine of one place."""
    capacity = "reqs cap 1;"
    return f"""
    fn main() {{
      device gpu {{ {capacity if on == "gpu" else ""} }}
      engine llm on gpu {{
        {capacity if on == "llm" else ""}
        tokens cap 8;
        {states}
        schedule {{ {schedule} }}
        execute (1);
      }}
      pool reqs on {on} {{ }}
      workload {{ arrive batch(3); }}
      server {{ {server} }}
    }}
    """

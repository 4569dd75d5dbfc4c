"""Programs that link and fail when run: the failure, and the piece of the text it points at."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.simulation import Simulation
from serq_tui.cli_failure import stopped
from tests.cases import Case, cases
from tests.running import load_case

# The piece of the text at fault, read off each program by hand: where the statement begins that
# the recorded message quotes. None where the run fails as a whole: arrivals that do not come or
# drain, a trace that cannot be read, and sessions that wait for each other.
AT_FAULT: dict[str, str | None] = {
    "001": "run s (cost(s, n))",
    "002": "run s (cost(s, n))",
    "003": "hold p (cost(p, n))",
    "004": "grow p (cost(p, n))",
    "005": "decode (o)",
    "006": "branch (n)",
    "007": "while (k)",
    "008": "branch (n)",
    "009": "branch (running.count)",
    "010": "admit waiting while (2 - waiting.admitted)",
    "011": "execute (batch.tokens - 4)",
    "012": "execute (pace(batch.tokens))",
    "013": "run s (cost(s, n))",
    "014": "grow p (cost(p, n))",
    "015": "run r[serial]",
    "016": "run r[j]",
    "017": "hold p[j]",
    "018": "hold p[i]",
    "019": "load p",
    "020": "arrive renewal",
    "021": "arrive renewal",
    "022": "choose j in m",
    "023": None,
    "024": None,
    "025": None,
    "026": "end;",
    "027": None,
    "028": None,
    "029": None,
    "030": None,
    "031": None,
    "032": "set k = k /",
    "033": "hold p",
    "034": "branch (n + serial)",
    "035": "hold lane[serial]",
    "036": "hold lane[t]",
    "037": "run llm[j] prefill",
    "038": "run llm decode (cost(llm, 9 - computed))",
    "039": "branch (running.count)",
    "040": "set lvl = (lvl - 1)",
    "041": "hold kv (cost(kv, n))",
    "042": "execute (k)",
}


def test_every_failing_program_has_its_line() -> None:
    assert sorted(AT_FAULT) == [case.name[:3] for case in cases("corpus_runtime")]


@pytest.mark.tally("corpus/runtime")
@pytest.mark.parametrize("case", cases("corpus_runtime"), ids=str)
def test_a_run_fails_at_the_statement_at_fault(case: Case, tmp_path: Path) -> None:
    loaded = load_case(case, tmp_path)
    simulation = Simulation(loaded.program)
    simulation.run()
    simulation.close()
    assert simulation.failure is not None
    failed = stopped(simulation.failure, loaded)
    assert failed.kind == "runtime"
    piece = AT_FAULT[case.name[:3]]
    if piece is None:
        assert failed.line is None
    else:
        before = case.source[: case.source.index(piece)]
        assert failed.line == before.count("\n") + 1
        column = len(before) - before.rfind("\n")
        assert f":{failed.line}:{column}:" in failed.text.splitlines()[0]

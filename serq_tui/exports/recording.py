"""Makes a run and writes its course to the files asked for, all in one go; prints nothing."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from engine.course import EngineLevel, IterationBegan, IterationEnded, PoolLevel, follow
from engine.simulation import Simulation
from engine.walking import Pace
from grammar.declaring import dataclass
from serq_tui.decision_json import DecisionWriter
from serq_tui.exports.dump import DumpWriter
from serq_tui.exports.perfetto import TraceWriter
from serq_tui.exports.run_facts import RunFacts
from serq_tui.exports.writing import whole


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files a run is written to, None for those not wanted.

    Attributes:
        decisions: a line of JSON for each decision.
        perfetto: a Chrome trace.
        dump: a folder for CSV tables.
    """

    decisions: Path | None = None
    perfetto: Path | None = None
    dump: Path | None = None

    def __bool__(self) -> bool:
        return not (self.decisions is None and self.perfetto is None and self.dump is None)


def record(run: Simulation, program: str, outputs: Outputs, pace: Pace | None = None, *, closing: bool = True) -> RunFacts:
    """Goes on to the end of a run and writes its course.

    A run that fails is written up to there.

    Args:
        run: a run of one's own that has not begun.
        program: the name its files say.
        outputs: what is wanted.
        pace: looks up now and then.
        closing: whether the checks of a run's end are made (R2.5): not where it was cut short.

    Raises:
        Interrupted: the pace was told to stop; nothing is left of the files.
        OSError: a file cannot be written; nothing is left of the files.
    """
    with ExitStack() as files:
        decisions = DecisionWriter(files.enter_context(whole(outputs.decisions)), run.code) if outputs.decisions else None
        trace = TraceWriter(files.enter_context(whole(outputs.perfetto)), run.code) if outputs.perfetto else None
        dump = DumpWriter(outputs.dump, run.code, files) if outputs.dump else None
        for fact in follow(run, pace):
            if trace is not None:
                trace.take(fact)
            if dump is not None:
                dump.take(fact)
            if decisions is not None and not isinstance(fact, IterationBegan | IterationEnded | PoolLevel | EngineLevel):
                decisions.append(fact)
        if closing:
            run.close()
        facts = RunFacts.of(program, run)
        if trace is not None:
            trace.close(facts)
        if dump is not None:
            dump.close(facts, run)
    return facts

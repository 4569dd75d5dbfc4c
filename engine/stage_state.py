"""A stage as it stands, an engine's iteration among it; how it is copied; knows no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import mypyc_attr

from engine.session_state import Job
from engine.statistics import GapHistogram, Mean, RunningMean, TimeAverage

if TYPE_CHECKING:
    from engine.calendar import Cohort
    from engine.codes import StageCode


NEVER: Final = (-1, 0)
"""The position of what has not happened."""


class Estimates:
    """A stage's online estimators (R7.15)."""

    __slots__ = ("gap", "gaps", "jobs", "last_start", "service", "wait")

    def __init__(self) -> None:
        self.jobs = 0
        self.gaps = 0
        self.service = 0.0
        self.wait = 0.0
        self.gap = 0.0
        self.last_start = 0.0

    def clone(self) -> Estimates:
        """A copy."""
        other = Estimates()
        other.jobs = self.jobs
        other.gaps = self.gaps
        other.service = self.service
        other.wait = self.wait
        other.gap = self.gap
        other.last_start = self.last_start
        return other


@mypyc_attr(acyclic=True, free_list_len=1)
class Iteration:
    """A running iteration: its batch, whose tokens are in the jobs (``Job.given``), and how it was formed."""

    __slots__ = ("batch", "budget", "chunk", "cost", "early", "members", "started", "tokens")

    def __init__(self, batch: list[Job], started: float, cost: float, budget: float, chunk: float) -> None:
        self.batch = batch
        self.started = started
        self.cost = cost
        self.budget = budget
        self.chunk = chunk
        self.tokens = 0.0
        self.members = 0
        """Members of the engine's cohort it serves, who are not in the batch."""
        self.early: set[int] | None = None
        """Who of the batch was served along with the cohort and not after it, by job number."""

    def clone(self, jobs: dict[int, Job]) -> Iteration:
        """A copy among the copied jobs, by number."""
        other = Iteration([jobs[job.id] for job in self.batch], self.started, self.cost, self.budget, self.chunk)
        other.tokens = self.tokens
        return other


class StageState:
    """A stage as it stands (R1.13). The fields of other kinds stay as they begin."""

    __slots__ = (
        "active",
        "attempt",
        "attempted_at",
        "changed",
        "code",
        "cohort",
        "completed",
        "decode_batch",
        "decode_only",
        "decode_step",
        "epoch",
        "estimates",
        "executed",
        "gaps",
        "idle_attempts",
        "idle_with_work",
        "iteration",
        "iterations",
        "jobs",
        "last",
        "latent",
        "lit",
        "marks",
        "mean_busy",
        "mean_decodes",
        "mean_number",
        "mixed",
        "prefill_only",
        "queue",
        "rate",
        "residents",
        "served",
        "service",
        "started",
        "version",
        "virtual",
        "wait",
    )

    def __init__(self, code: StageCode) -> None:
        self.code = code
        self.jobs: dict[int, Job] = {}
        self.queue: list[Job] = []
        self.active = 0
        self.virtual = 0.0
        self.last = 0.0
        self.rate = 0.0
        self.latent = 0
        """How many of ``jobs`` wait for their latency."""
        self.epoch = 0
        self.changed = False
        self.residents: list[Job] = []
        self.version = 0
        """Counts the changes of the residents, so that an attempt sees them."""
        self.iteration: Iteration | None = None
        self.cohort: Cohort | None = None
        """Decodes that are counted together; None where everybody has their own figures."""
        self.iterations = 0
        self.marks = 0
        """Counts attempts, to mark whom one has considered."""
        self.served = 0.0
        self.idle_with_work = False
        self.idle_attempts = 0
        """Attempts that came to nothing although somebody ran or waited."""
        self.executed: list[tuple[int, ...]] = []
        """The schedule statements the latest attempt executed, in order."""
        self.attempt = NEVER
        """The position just after the latest attempt."""
        self.attempted_at = 0.0
        self.started = False
        self.lit: tuple[int, ...] | None = None
        self.estimates = Estimates()
        self.completed = 0
        self.wait = RunningMean()
        self.service = RunningMean()
        self.mean_number = TimeAverage()
        self.mean_busy = TimeAverage()
        self.prefill_only = TimeAverage()
        self.decode_only = TimeAverage()
        self.mixed = TimeAverage()
        self.mean_decodes = TimeAverage()
        self.decode_batch = Mean()
        self.decode_step = Mean()
        self.gaps = GapHistogram()

    def clone(self, jobs: dict[int, Job]) -> StageState:
        """A copy among the copied jobs, by number; its cohort was folded before."""
        assert self.cohort is None
        other = StageState(self.code)
        other.jobs = {number: jobs[number] for number in self.jobs}
        other.queue = [jobs[job.id] for job in self.queue]
        other.active = self.active
        other.virtual = self.virtual
        other.last = self.last
        other.rate = self.rate
        other.latent = self.latent
        other.epoch = self.epoch
        other.changed = self.changed
        other.residents = [jobs[job.id] for job in self.residents]
        other.version = self.version
        other.iteration = self.iteration.clone(jobs) if self.iteration is not None else None
        other.iterations = self.iterations
        other.marks = self.marks
        other.served = self.served
        other.idle_with_work = self.idle_with_work
        other.idle_attempts = self.idle_attempts
        other.executed = self.executed
        other.attempt = self.attempt
        other.attempted_at = self.attempted_at
        other.started = self.started
        other.lit = self.lit
        other.estimates = self.estimates.clone()
        other.completed = self.completed
        other.wait = self.wait.clone()
        other.service = self.service.clone()
        other.mean_number = self.mean_number.clone()
        other.mean_busy = self.mean_busy.clone()
        other.prefill_only = self.prefill_only.clone()
        other.decode_only = self.decode_only.clone()
        other.mixed = self.mixed.clone()
        other.mean_decodes = self.mean_decodes.clone()
        other.decode_batch = self.decode_batch.clone()
        other.decode_step = self.decode_step.clone()
        other.gaps = self.gaps.clone()
        return other

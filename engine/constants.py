"""The kernel's fixed numbers and words: its tolerance, statuses, kinds of frames and events; knows no rule."""

from __future__ import annotations

from typing import Final

EPS: Final = 1e-9
"""The one absolute tolerance of the kernel, used exactly where a rule names it (R1.1)."""

INF: Final = 1e999  # as a literal, which compiled code needs not look up
NAN: Final = float("nan")

# A session's status (R1.8).
READY: Final = 0
QUEUED: Final = 1
IN_STAGE: Final = 2
GROWING: Final = 3
JOINING: Final = 4
ENDED: Final = 5
# What a frame is (R1.7).
PLAIN: Final = 0
LOOP: Final = 1
HOLD: Final = 2
# What an event is (R2.1).
WARMUP_END: Final = 0
ARRIVAL: Final = 1
FINISH: Final = 2
ITERATION_END: Final = 3
LEASE_END: Final = 4
LATENCY_END: Final = 5
TICK: Final = 6
LEASE_TICK: Final = 7
# How far the settling of the present instant has come (R2.6).
SETTLED: Final = 0
ATTEMPTING: Final = 1

EMPTY_METER: Final = (-1.0, 0.0, -1, False, False)
"""A token gap meter that has seen no token: turn, time, stage, has decoded, preempted since (R6.31)."""

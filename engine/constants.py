"""The kernel's fixed numbers and words: its tolerance, statuses, kinds of frames and events; knows no rule."""

from __future__ import annotations

EPS = 1e-9
"""The one absolute tolerance of the kernel, used exactly where a rule names it (R1.1)."""

INF = float("inf")
NAN = float("nan")

# A session's status (R1.8).
READY, QUEUED, IN_STAGE, GROWING, JOINING, ENDED = range(6)
# What a frame is (R1.7).
PLAIN, LOOP, HOLD = range(3)
# What an event is (R2.1).
WARMUP_END, ARRIVAL, FINISH, ITERATION_END, LEASE_END, LATENCY_END, TICK, LEASE_TICK = range(8)
# How far the settling of the present instant has come (R2.6).
SETTLED, ATTEMPTING = range(2)

EMPTY_METER = (-1.0, 0.0, -1, False, False)
"""A token gap meter that has seen no token: turn, time, stage, has decoded, preempted since (R6.31)."""

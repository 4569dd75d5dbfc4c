"""The event queue: one order, wherever an event stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.constants import ARRIVAL, FINISH, INF, ITERATION_END
from engine.events import Event, EventQueue

# A few times, so that many events share one; None takes the first event out.
STEPS = st.lists(st.none() | st.tuples(st.sampled_from((1.0, 2.0, 3.0, INF)), st.sampled_from((ARRIVAL, ITERATION_END, FINISH))))


def filled(*events: Event) -> EventQueue:
    queue = EventQueue()
    for event in events:
        queue.put(event)
    return queue


@given(STEPS)
def test_events_come_by_time_and_then_as_scheduled_whatever_they_are(steps: list[tuple[float, int] | None]) -> None:
    """R2.1, beside a sorted list, which has events of equal time by their numbers."""
    queue, expected = EventQueue(), list[Event]()
    for number, step in enumerate(steps):
        if step is not None:
            event = (step[0], number, step[1], number % 3, number, 0)
            queue.put(event)
            expected.append(event)
        elif expected:
            first = min(expected)
            expected.remove(first)
            assert queue.clone().take() == first
            assert queue.take() == first
        assert sorted(queue.all()) == sorted(expected)
        assert queue.time() == min([event[0] for event in expected], default=INF)
        assert [queue.due(moment) for moment in (0.0, 2.0, INF)] == [
            any(event[0] <= moment for event in expected) for moment in (0.0, 2.0, INF)
        ]


def test_an_end_of_an_iteration_that_comes_first_is_known_with_what_follows_it() -> None:
    """Stage 1 ends its iteration at 2, stage 0 ends another at 3: a leap of stage 1 has until 3, and stage 0 has none."""
    for order in (1, -1):
        ends = [(3.0, 0, ITERATION_END, 0, 7, 0), (2.0, 1, ITERATION_END, 1, 5, 0)]
        queue = filled(*ends[::order])
        assert queue.time_after_end(1, 5) == 3.0
        assert queue.time_after_end(1, 4) is None
        assert queue.time_after_end(0, 7) is None


def test_an_end_of_an_iteration_does_not_come_first_behind_an_older_event_of_its_time() -> None:
    """R2.1: of two events at 2 the one scheduled first comes first, so nothing may leap over it."""
    assert filled((2.0, 0, ARRIVAL, 0, 0, 0), (2.0, 1, ITERATION_END, 0, 1, 0)).time_after_end(0, 1) is None
    assert filled((2.0, 0, ITERATION_END, 0, 1, 0), (2.0, 1, ARRIVAL, 0, 0, 0)).time_after_end(0, 1) == 2.0


def test_an_empty_queue_has_nothing_due_even_at_the_end_of_time() -> None:
    assert not EventQueue().due(INF)
    assert filled((INF, 0, FINISH, 0, 0, 0)).due(INF)

"""What the tests beside the reference share: the reference itself, asked by all of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle.fuzz import PATIENCE
from tests.oracle.reference import Reference, python_of


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    """The reference, where it is installed."""
    if python_of("016") is None:
        pytest.skip("the reference is not installed")
    with Reference("016", PATIENCE) as running:
        yield running

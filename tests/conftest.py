"""What all tests share: the tallies of recorded cases in the summary."""

from __future__ import annotations

from collections import Counter

import pytest

TALLY = "tally"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Notes the group of each recorded case where its report will carry it, from a worker too."""
    for item in items:
        mark = item.get_closest_marker(TALLY)
        if mark is not None:
            item.user_properties.append((TALLY, mark.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints ``N of N`` for each group of recorded cases that was run."""
    passed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for outcome in ("passed", "failed", "error", "skipped", "xfailed", "xpassed"):
        for report in terminalreporter.stats.get(outcome, []):
            group = dict(getattr(report, "user_properties", ())).get(TALLY)
            if group is not None and (report.when == "call" or outcome != "passed"):
                total[group] += 1
                passed[group] += outcome == "passed"
    if total:
        terminalreporter.section("recorded cases")
        for group in sorted(total):
            terminalreporter.line(f"{group}: {passed[group]} of {total[group]}")

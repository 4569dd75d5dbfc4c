"""What all tests share: the tallies of recorded cases in the summary."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes, or takes to draw, says something of the machine and nothing of what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

TALLY = "tally"
CASE = "case"
TEXTS = {"ok": "corpus/ok", "bad": "corpus/bad", "runtime": "corpus/runtime"}
"""What the summary calls a folder of the text corpus, and how the groups of its tests begin."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Notes the group and the case of each recorded test where its report will carry them, from a worker too."""
    for item in items:
        mark = item.get_closest_marker(TALLY)
        if mark is not None:
            item.user_properties.append((TALLY, mark.args[0]))
            item.user_properties.append((CASE, item.name))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints ``N of N`` for each group of recorded cases that was run, and one line for the text corpus as a whole.

    In that line a case counts once: an accepted program is equal when its IR and its run are.
    """
    passed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    equal: dict[tuple[str, str], bool] = defaultdict(lambda: True)
    for outcome in ("passed", "failed", "error", "skipped", "xfailed", "xpassed"):
        for report in terminalreporter.stats.get(outcome, []):
            properties = dict(getattr(report, "user_properties", ()))
            group = properties.get(TALLY)
            if group is not None and (report.when == "call" or outcome != "passed"):
                total[group] += 1
                passed[group] += outcome == "passed"
                equal[group.partition(",")[0], _case(properties[CASE])] &= outcome == "passed"
    if total:
        terminalreporter.section("recorded cases")
        for group in sorted(total):
            terminalreporter.line(f"{group}: {passed[group]} of {total[group]}")
        texts = {name: [good for (of, _), good in equal.items() if of == group] for name, group in TEXTS.items()}
        if all(texts.values()):
            terminalreporter.line(", ".join(f"{name} {sum(goods)} of {len(goods)}" for name, goods in texts.items()))


def _case(name: str) -> str:
    """The recorded case in a test's name, which its brackets end with."""
    return name.partition("[")[2].removesuffix("]")

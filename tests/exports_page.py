"""Makes ``docs/exports.md``: what is written by hand below, and the tables' columns from the code."""

from __future__ import annotations

from serq_tui.exports.tables import TABLES

HEAD = """\
# Exports

What can be taken along from a run, from the command line and, with the key `e`, from inside the debugger. Files made from
inside go to the current folder, are named after the program and the moment (`preemption-31.1.svg`), and never take the place of
another. A file appears when it is complete: one that was interrupted leaves nothing.

| what | from the command line | from inside |
| --- | --- | --- |
| this screen as SVG | | `e` `s` |
| [the run as a trace](#the-run-as-a-trace) for Perfetto | `serq-tui run FILE --horizon T --perfetto OUT.json` | `e` `p` |
| [the run as CSV tables](#the-run-as-tables) | `serq-tui run FILE --horizon T --dump DIR` | `e` `t` |
| every decision, a line of JSON each | `serq-tui run FILE --horizon T --decisions OUT.jsonl` | |
| the report | `serq-tui run FILE --horizon T`, with `--markdown` or `--json` | `e` `r` (Markdown) |
| [this moment as JSON](snapshot.md) | | `e` `m` |
| [a capsule](#capsules) | | `e` `c` |

`--perfetto`, `--dump` and `--decisions` can be given together; the run is then made once. A run that is written takes no short
cuts, so it is slower than one that only reports; what it reports is the same. A name that ends in `.gz` is compressed, which
[Perfetto](https://ui.perfetto.dev) opens too.

From inside, a run with a horizon is written to its end, wherever one looks. For a run without one you are asked up to when:
enter takes the last moment seen.

## The run as a trace

Open the file in [ui.perfetto.dev](https://ui.perfetto.dev) (it stays on your machine) or in `chrome://tracing`.

It is a JSON object in the Chrome trace-event format, written as the run goes, so its length is bounded by the disk alone.

- **engines**: a lane an engine, a slice an iteration. Beside them the counter `NAME load` (running, waiting), and marks where an
  engine is idle with work, sets a register or fails a claim.
- **requests**: a lane a request (and a leg that does engine work itself), from its arrival to its end. In it slices of what it
  does: `queued`, `prefill` and `recompute` chunk by chunk, `decode` as long as it goes on, `unserved` with the reason,
  `growing`, and `preempted` from a preemption to the next admission. Decisions about the request are marks.
- **pools**: a counter a pool (used, cached, reserved, in units) and one for its queue (waiting, holders). Evictions are marks.
- **arrows**: from the request whose growth it was to the request that was preempted for it.

Decisions that slices and counters say already are no marks: `Arrived`, `Queued`, `Ended`, `Served`, `LeftOut`, `Grew`, and
of the schedule `Guarded` and `AdmissionClosed`; `--decisions` has them all. The other kinds and their fields are explained in
[decisions](decisions.md).

Times: `ts` and `dur` are microseconds of the program's clock. Those of slices, marks and arrows lie on a grid of nanoseconds, on
which slices that follow each other meet; `args.t` (and `args.end`) is the exact instant in seconds. A counter's arguments can
only be its values, so its `ts` has all digits: moving the decimal point back by six gives the exact instant. An arrow stands one
nanosecond after its preemption and ends two after it, within the slices that began there. Numbers that JSON has no word for are
the strings `inf`, `-inf` and `nan`.

The arguments of an iteration:

| argument | meaning |
| --- | --- |
| `t`, `end` | when it began and was over, in seconds; `end` is that of the run where `ended` is false |
| `seconds` | how long it was to last |
| `engine`, `iteration` | the engine, and its number there from 1 |
| `tokens` | tokens scheduled, of them `prefill_tokens` and `decode_tokens` |
| `prefills`, `decodes` | requests that computed a piece of a prompt, and that decoded |
| `budget` | the tokens cap it was formed under |
| `running`, `waiting` | requests at the engine and holds in its queues as it began |
| `preempted` | requests preempted while it was formed |

The slices of a request have `t`, `end`, and as far as they apply `engine`, `pool`, `reason`, `tokens`, `first_iteration` and
`last_iteration`. `otherData` says the program, seed, horizon, warm-up, where the report ends, and why a run failed.

The report's figures follow from the file alone: tokens, iterations, preemptions, admissions, evicted units and the means of
decode batches and steps to the last bit; means over time, such as a pool's `mean_used`, to within the rounding of a sum
(relatively, 2⁻⁵² times the number of events). The tests recompute them for benchmark, corpus and random programs.

## The run as tables

`--dump DIR` makes a folder with six CSV files, `report.json` (the report, as `--json` prints it) and `run.json` (the settings and
where the run ended). The files have a header line, commas, `"` around cells that need it, and `\\n` at line ends; numbers are
written so that they read back to the last bit. Cells without a value are empty.
"""

CAPSULES = """\
## Capsules

`e` `c` asks for a note and writes a file such as `preemption-31.1.capsule`. It holds the program as it runs, its settings, the
moment, breakpoints, watches and bookmarks, what was opened, and the note. On any machine,

```
$ serq-tui preemption-31.1.capsule
```

opens it there, at the same moment, and shows the note. What is said on the command line wins over the capsule: `--seed 2`, `--at
t=3`. Breakpoints set in it are not kept by themselves: write another capsule. `run`, `check` and `ir` take a capsule as a
program.

A capsule is a JSON object:

| field | holds |
| --- | --- |
| `format`, `version` | `serq-tui capsule`, and 1; a file of another version is refused, and says by whom it was made |
| `made_by` | the program that wrote it |
| `note` | the note, perhaps empty |
| `program` | `name` and `text`; the text of a program with a constant changed from inside has that constant |
| `trace` | `name` and `text` of the recorded turns it replays; null without any |
| `settings` | `horizon` (or null), `warmup`, `seed`, `arrivals`; `inputs` that are not at their default; `definitions` given |
| `moment` | `position`, `clock` in seconds, `engine` looked at (null for all), `request` opened (null for none) |
| `stops` | breakpoints: `text` as one types it, `enabled`, `once`, `after` how many hits |
| `watches` | the watched values as one types them |
| `bookmarks` | `name`, `position` as a list of events, attempts and decisions, `about` what was there |
| `layout` | the panes that are `closed`, lines they have `grown` by, columns the left side is `wider`; absent as they come |

An instance file is not in it: its values are among the settings. Where the run at that position has another clock than when
the capsule was made (an override, or another version of the program), a warning says so.
"""


def exports_page() -> str:
    """``docs/exports.md``."""
    parts = [HEAD]
    for table in TABLES:
        rows = "\n".join(f"| `{column.name}` | {column.unit or 'text'} | {column.meaning} |" for column in table.columns)
        parts.append(f"### {table.file}\n\nA line is {table.rows}.\n\n| column | unit | meaning |\n| --- | --- | --- |\n{rows}\n")
    return "\n".join([*parts, CAPSULES])

# Everything a newcomer needs is `make run` and `make test`; the rest is for whoever changes the code.
#   PYTHON=python3.12 make test     another interpreter (3.11 or newer) for the environment
#   SHARED=/path make cases         where the recorded reference material lies

PYTHON ?= python3
SHARED ?= ../shared
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
EXAMPLE := serq_tui/examples/preemption.sq

# One worker a core; the tests share nothing, so any number is right.
WORKERS ?= auto

.PHONY: help run test test-compiled reference check lint format types coverage fuzz bench cases docs site screenshots demo clean
.DEFAULT_GOAL := help

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "serq-tui needs Python 3.11 or newer; name one: PYTHON=python3.12 make ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

run: $(STAMP) ## open the debugger on an example (without a terminal: print its report)
	@if [ -t 0 ] && [ -t 1 ]; then $(BIN)/serq-tui $(EXAMPLE); else $(BIN)/serq-tui run $(EXAMPLE) --horizon 20; fi

# The reference is asked by some tests only, which are left out where it cannot be installed.
reference: $(STAMP)
	@$(BIN)/python -m tests.oracle.environment 016 dev92 > /dev/null \
	  || echo "the reference cannot be installed here: the tests that ask it are left out" >&2

test: $(STAMP) reference ## run the tests
	$(BIN)/python -m pytest -q -n $(WORKERS)

test-compiled: $(STAMP) ## run the engine's tests on the compiled engine
	$(BIN)/python -m tests.compiled

check: lint types test ## format, lint, types, import contracts, tests: what a change must pass

lint: $(STAMP) ## formatting, lint and import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo

types: $(STAMP) ## strict types
	$(BIN)/mypy

format: $(STAMP) ## format and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

coverage: $(STAMP) ## run the tests and say which lines none of them reaches
	$(BIN)/coverage run --parallel-mode -m pytest -q
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# How many programs to try, from which seed on: FUZZ="--count 100000 --seed 7" make fuzz
FUZZ ?= --count 10000
# How many texts of token soup and of edited programs the front end has to read without surprise.
FUZZ_TEXTS ?= 100000
# Which edited programs both front ends have to judge alike.
FUZZ_EDITS ?= --count 8000
fuzz: $(STAMP) reference ## run random programs and read edited texts here and on the reference; read random texts
	$(BIN)/python -m tests.oracle.fuzz $(FUZZ)
	$(BIN)/python -m tests.oracle.texts $(FUZZ_EDITS)
	FUZZ_TEXTS=$(FUZZ_TEXTS) $(BIN)/python -m pytest -q -n $(WORKERS) tests/grammar/test_parser_fuzz.py

bench: $(STAMP) reference ## measure the engine beside the reference, alternated in one run; check every story of the benchmarks
	$(BIN)/python -m tests.bench.measure
	$(BIN)/python -m tests.bench.stories
	$(BIN)/python -m tests.bench.held

cases: $(STAMP) ## pack the recorded reference material anew from $(SHARED)
	$(BIN)/python -m tests.pack_cases $(SHARED)
	$(BIN)/python -m tests.first_light

docs: $(STAMP) ## write the reference pages that are made from the code's tables anew
	$(BIN)/python -m tests.make_docs

site: $(STAMP) docs ## build the documentation as a site, into site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

screenshots: $(STAMP) ## draw the pictures of the README anew
	$(BIN)/python -m screenshots.make

demo: $(STAMP) ## record the demo anew
	$(BIN)/python -m screenshots.record

clean: ## remove what was made, the environments too
	rm -rf $(VENV) .reference dist build site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One entry for people and machines: `make help` lists what there is.
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests quick coverage soak golden mutants interpreters oldest sqlglot format bench papers changelog pins clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/make \1 ~ \2/p' $(MAKEFILE_LIST) | column -t -s '~' 2>/dev/null \
		|| grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST)

demo: $(VENV)/.demo  ## set up, then trade-off, release, verification and report of the Adult table
	@$(BIN)/paranym demo

test: lint types tests  ## set up, then lint, check types and run all tests

lint: $(VENV)/.test  ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test  ## check types, strictly
	$(BIN)/mypy

tests: $(VENV)/.test  ## run the tests
	$(BIN)/python -m pytest --numprocesses 2

quick: $(VENV)/.test  ## run what needs no server and no browser: unit, architecture and golden tests, in two minutes
	$(BIN)/python -m pytest --numprocesses 2 -m "not postgres and not spark and not browser and not slow" \
		tests/unit tests/architecture tests/golden

coverage: $(VENV)/.test  ## run the tests and show which branches none of them takes; .coverage.html has the lines
	$(BIN)/python -m pytest --numprocesses 2 --cov --cov-report=term --cov-report=html:.coverage.html

soak: $(VENV)/.test  ## kill releases at every moment, try thousands of random ones, every search, damaged files; takes two hours
	SOAK=1 $(BIN)/python -m pytest --numprocesses 2 tests/contract/test_kills.py tests/property/test_release.py \
		tests/contract/test_interrupts.py tests/property/test_random_fronts.py tests/property/test_starts.py \
		tests/oracle/test_incognito.py
	$(BIN)/python tests/fuzzing.py --soak --jobs 2
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python scripts/mutants.py
	scripts/sqlglot

golden: $(VENV)/.test  ## record the results of all searches again; read the differences before you commit them
	$(BIN)/python tests/golden_searches.py
	git diff --stat tests/golden

mutants: $(VENV)/.test  ## put small faults into report, comparison and choice, and list those that no test notices; takes an hour
	$(BIN)/python scripts/mutants.py

interpreters: $(VENV)/.test  ## try every other Python from 3.11 to 3.14 that is on this machine
	scripts/interpreters

oldest: $(VENV)/.test  ## run the quick tests with the oldest dependencies that pyproject.toml allows
	scripts/oldest

sqlglot: $(VENV)/.test  ## run the contract suite with the oldest and the newest sqlglot that pyproject.toml allows
	scripts/sqlglot

format: $(VENV)/.test  ## format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.test  ## measure, as ratios within one run
	$(BIN)/python benchmarks/run.py

papers: $(VENV)/.test  ## make tables and figures of the papers anew, beside their own
	$(BIN)/python benchmarks/papers/poka.py
	$(BIN)/python benchmarks/papers/multiobjective.py
	$(BIN)/python benchmarks/papers/incognito.py --only nodes
	$(BIN)/python benchmarks/papers/local.py --only 6,9,10,13

changelog:  ## put the fragments of changelog.d into CHANGELOG.md, under the version of the package
	scripts/changelog

pins: $(VENV)/.test  ## compile the pinned, hashed requirements anew
	scripts/pin

clean:  ## remove everything that can be made again
	rm -rf $(VENV) .interpreters .oldest .sqlglot .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.demo: requirements/demo.txt pyproject.toml src/paranym/__init__.py scripts/setup
	scripts/setup demo

$(VENV)/.test: requirements/test.txt pyproject.toml src/paranym/__init__.py scripts/setup
	scripts/setup test

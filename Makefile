# One entry for people and machines: `make help` lists what there is.
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help demo test lint types tests soak format bench papers pins clean

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

soak: $(VENV)/.test  ## kill releases at every moment, try thousands of random ones and every search; takes an hour
	SOAK=1 $(BIN)/python -m pytest --numprocesses 2 tests/contract/test_kills.py tests/property/test_release.py \
		tests/oracle/test_incognito.py
	$(BIN)/python benchmarks/engines.py

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

pins: $(VENV)/.test  ## compile the pinned, hashed requirements anew
	scripts/pin

clean:  ## remove everything that can be made again
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.demo: requirements/demo.txt pyproject.toml scripts/setup
	scripts/setup demo

$(VENV)/.test: requirements/test.txt pyproject.toml scripts/setup
	scripts/setup test

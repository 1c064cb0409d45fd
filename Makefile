# make tour   set up, then verify and measure a pair of each of ten chapters (at most ten minutes on a CPU)
# make test   set up, then run every test
# make types  set up, then check the types: a minute, and another core if there is one
# make lint   formatting, lint and types, and the lines of each package
# make clean  remove what runs have written

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS := 2
# The files with tests that need all cores (tests/conftest.py): to collect the others takes seconds.
ALONE := bench/programs/test_compare.py bench/ranks/test_ranks.py bench/test_run.py chapters/test_ch04.py \
  cli/commands/test_ab.py cli/commands/test_monitor.py faults/test_planted_faults.py faults/test_two_ranks.py \
  machine/test_sampler.py peak/probes/test_allreduce.py peak/probes/test_cpu_probes.py
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --constraint constraints.txt

# What the first pass of the tests has compiled, the second does not compile again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: tour test types lint clean

tour: $(VENV)/.ready
	$(BIN)/perfproof run

test: $(VENV)/.ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@trap 'exit 130' INT; status=0; \
	  echo "1 of 2: tests that share the cores"; \
	  $(BIN)/pytest -m "not alone" --numprocesses $(WORKERS) --dist worksteal || status=1; \
	  echo "2 of 2: tests that need all cores, one at a time"; \
	  $(BIN)/pytest -m alone $(addprefix tests/,$(ALONE)) || status=1; \
	  exit $$status

types: $(VENV)/.ready-to-test
	$(BIN)/mypy

lint: $(VENV)/.ready-to-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/mypy
	@$(BIN)/python .ci/lines.py

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
	@$(PIP) --editable '.[dev,triton,cuda,numba,postgres,cpu,serve]'
	@touch $@

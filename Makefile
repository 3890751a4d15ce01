# The interface for batch work. Every target sets up its own virtual environment first.
# Variables: GAMES, SEED, RULES (a preset, a file, or "all"), WORKERS, QUICK, COLD, PYTHON;
# of make test and make verify: TESTS, files in place of all;
# of make query: HAND, WALL, RULES, POSITION (a file), LANGUAGE (zh or en).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What the product needs, and with it what its tests and checks need: users do not wait for the second.
READY := $(VENV)/ready
DEV := $(VENV)/dev
# Pinned versions are those of the tested Python; the installer resolves the others.
TESTED := $(shell $(PYTHON) -c 'import sys; print(int(sys.version_info[:2] == (3, 11)))' 2>/dev/null)
PINS := $(if $(filter 1,$(TESTED)),-c constraints.txt)
UV := $(shell command -v uv 2>/dev/null)
# Bytecode when a module is first imported: pip would compile every module of every package, half of its time.
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check --no-compile
INSTALL := $(if $(UV),VIRTUAL_ENV=$(VENV) $(UV) pip install -q,$(PIP)) $(PINS)
PEERS := $(VENV)/peers
LIST_PEERS := import tomllib; \
  print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench"])

SEED ?= 1
RULES ?= all
WORKERS ?= 0
OPTIONS = --seed $(SEED) --rules "$(RULES)" --workers $(WORKERS) $(if $(GAMES),--games $(GAMES))
DRAFT = $(if $(filter-out 0,$(QUICK)),--quick)
# By the environment, so that the shell takes nothing in them for its own.
export HAND WALL POSITION RULES SEED WORKERS
QUESTION = $(if $(HAND),"$$HAND") $(if $(WALL),--wall "$$WALL") $(if $(POSITION),--position "$$POSITION") \
  $(if $(filter-out all,$(RULES)),--rules "$$RULES") --seed "$$SEED" --workers "$$WORKERS" \
  $(if $(filter zh en,$(LANGUAGE)),--lang $(LANGUAGE))

# Tests small enough for kernels that run as plain Python.
PLAIN = scripted or golden or worked or field_acts or plain_twin or positions or legal_actions or one_hand or \
  one_row or discards_that_keep or best_discards or small_run or agree_with_the_plain_engine

.DEFAULT_GOAL := help
# Targets share an environment, and each uses every core by itself.
.NOTPARALLEL:
.PHONY: help tables report publish force query test verify coverage bench bench-check bench-table lint soak clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'
	@echo
	@echo "  Options of make tables: GAMES=20000 SEED=1 RULES=xiangyang WORKERS=2"
	@echo "  Options of make report: SEED=1 QUICK=1 (a draft) and the same"
	@echo "  One section of it:      make reports/xiangyang/liangdao_timing.html (or reports/all/…)"
	@echo "  Options of make query:  HAND=\"123s 789s 46p 88p 777z 5s\" WALL=30 RULES=xiangyang LANGUAGE=zh"
	@echo "                          or POSITION=table.toml in place of HAND and WALL"
	@echo "  Part of the tests:      make verify TESTS=\"tests/test_fuzz.py tests/test_faults.py\""

define ENVIRONMENT
@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' \
  || { echo "kwx_sim needs Python 3.11 to 3.13; set PYTHON=python3.11" >&2; exit 2; }
$(if $(UV),$(UV) venv -q --allow-existing --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))
endef

$(READY): pyproject.toml constraints.txt
	$(ENVIRONMENT)
	$(INSTALL) -e .
	@touch $(READY)

$(DEV): pyproject.toml constraints.txt
	$(ENVIRONMENT)
	$(INSTALL) -e '.[dev]'
	@touch $(READY) $(DEV)

# One by one, and never built: the benchmark does without a peer that this machine cannot have.
$(PEERS): $(DEV)
	@for peer in $$($(BIN)/python -c '$(LIST_PEERS)'); do \
	  $(INSTALL) --only-binary :all: "$$peer" || echo "$$peer cannot be installed here" >&2; \
	done
	@touch $(PEERS)

tables: $(READY) ## Simulate every preset; leave the three tables under reports/tables/
	$(BIN)/kwx tables $(OPTIONS)

report: $(READY) ## Make the strategy report, reports/index.html; what is up to date is kept; QUICK=1: a draft
	$(BIN)/python -m analyses $(OPTIONS) $(DRAFT)

reports/index.html reports/index.en.html: report

# What is stale only the analysis itself can tell.
reports/%.html: $(READY) force
	$(BIN)/python -m analyses.$(patsubst %.en,%,$(notdir $*)) $(OPTIONS) $(DRAFT)

reports/%.html: RULES = $(patsubst %/,%,$(dir $*))

publish: $(READY) ## Copy the finished report's Markdown and figures to reports/published/
	$(BIN)/python -m kwx_sim.report.publish

query: $(READY) ## Say what to do with a hand: declare or not, which discard, and why
	$(BIN)/kwx liangdao $(QUESTION)

test: $(DEV) ## Run the tests
	$(BIN)/python -m pytest $(TESTS)

verify: $(DEV) ## Run the slow statistical and exhaustive verification
	$(BIN)/python -m pytest -m verify -vv -rP $(TESTS)

coverage: $(DEV) ## Report the branches of core/ that the tests reach, compilation off
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -p no:xdist -o addopts=-q \
	  -W 'ignore:overflow encountered:RuntimeWarning' -k "$(PLAIN)" \
	  tests/test_scripted_rounds.py tests/test_fans.py tests/test_payment.py tests/test_shapes.py \
	  tests/test_streams.py tests/test_policy.py tests/test_simulate.py tests/test_arms.py tests/test_worlds.py
	$(BIN)/python -m coverage report

bench: $(PEERS) ## Measure kernels, rounds, start-up and memory beside their peers and bars; COLD=1: empty cache too
	PYTHONPATH=tests $(BIN)/python -m bench $(if $(COLD),--cold)

bench-check: $(DEV) ## Compare ratios of speed with the committed baseline
	PYTHONPATH=tests $(BIN)/python -m bench.check

bench-table: $(DEV) ## Take the figures of the last make bench over into the README
	PYTHONPATH=tests $(BIN)/python -m bench.readme --from reports/bench.json

soak: $(DEV) ## Record the memory of long runs, parent and workers: GAMES=5000000
	PYTHONPATH=tests $(BIN)/python -m soak $(if $(GAMES),--games $(GAMES))

lint: $(DEV) ## Check style, types and the imports contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find reports -mindepth 1 -maxdepth 1 ! -name published -exec rm -rf {} +

# Everything that is done to this project by hand. Needs make and Python 3.11 or newer with pip.
# Each target sets up .venv by itself; PYTHON=/path/to/python chooses another interpreter.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test test-browser test-all test-spark fuzz kills lint docs docs-serve screenshots package-check bench bench-check clean

VENV := .venv
# Peers pin older libraries, so benchmarks have an environment of their own.
BENCH_VENV := .venv-bench
# Spark is a large download, and its tests are slow.
SPARK_VENV := .venv-spark
BIN := $(VENV)/bin
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))

# The first interpreter that is new enough; `python3` wins if it is.
FIND_PYTHON = for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	if "$$candidate" -c '$(NEW_ENOUGH)' 2>/dev/null; then echo "$$candidate"; break; fi; done

help: ## show this list
	@echo "Privet: publish a table together with its decision tree."
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | \
		awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: $(VENV)/.core ## run Privet on a built-in table; results in ./demo
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh demo

test: $(VENV)/.test ## run the tests (several minutes on two cores)
	@$(BIN)/python -m pytest -n auto -m "not slow"

test-browser: $(VENV)/.test ## try the page of the studio in Chromium (skipped without it)
	@$(BIN)/python -m pytest tests/studio/test_in_chromium.py

test-all: $(VENV)/.test ## run all tests, with many more random tables
	@PRIVET_TESTS=long $(BIN)/python -m pytest -n auto

test-spark: $(SPARK_VENV)/.spark ## run the tests of the engines on Spark (minutes; needs Java 17 or newer)
	@PRIVET_TESTS=spark $(SPARK_VENV)/bin/python -m pytest -x -m "not slow" tests/engine/test_on_spark.py \
		tests/engine/test_same_answers.py tests/engine/test_in_runs.py tests/engine/test_counts.py -k "not numpy and not compiled"
	@PRIVET_TESTS=spark $(SPARK_VENV)/bin/python -m pytest "tests/docs/test_examples.py" -k on_spark

FUZZ_S ?= 3600
fuzz: $(VENV)/.test ## spoil files of every kind and run every command on them (an hour; FUZZ_S=60 for a minute)
	@PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(FUZZ_S)

KILLS ?= 200
kills: $(VENV)/.test ## kill every command while it writes, 200 times (KILLS=20 for a minute)
	@PYTHONPATH=tests $(BIN)/python -m kills --kills $(KILLS)

lint: $(VENV)/.lint ## check style, types and the direction of imports
	@echo "ruff check"; $(BIN)/ruff check .
	@echo "ruff format --check"; $(BIN)/ruff format --check .
	@echo "mypy"; $(BIN)/mypy
	@echo "lint-imports"; $(BIN)/lint-imports

docs: $(VENV)/.docs ## build the site into docs/_build/html, offline; warnings are errors
	@$(BIN)/python docs/generate.py
	@$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

docs-serve: docs ## show the site at http://localhost:8000
	@$(BIN)/python -m http.server --directory docs/_build/html --bind localhost 8000

screenshots: $(VENV)/.test ## take the pictures of the studio again (needs chromium and its driver)
	@PYTHONPATH=tests $(BIN)/python docs/pictures/take_studio.py

package-check: $(VENV)/.package ## build wheel and sdist; install and use the wheel without extras
	@BUILDER=$(CURDIR)/$(BIN)/python .ci/package-check

bench: $(BENCH_VENV)/.bench ## measure speed against peers (minutes)
	@for script in benchmarks/bench_*.py; do echo "== $$script"; \
		$(BENCH_VENV)/bin/python "$$script" || exit 1; done

bench-check: $(BENCH_VENV)/.bench ## fail if whole commands became 20 % slower beside peers and floors (minutes)
	@PATH="$(CURDIR)/$(BENCH_VENV)/bin:$$PATH" $(BENCH_VENV)/bin/python benchmarks/check.py

clean: ## remove the environment, caches and the demo
	rm -rf $(VENV) $(BENCH_VENV) $(SPARK_VENV) demo build dist docs/_build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each set of extras; all are renewed when pyproject.toml changes.
$(VENV)/pyvenv.cfg:
	@python=$$($(FIND_PYTHON)); \
	if [ -z "$$python" ]; then \
		echo "Privet needs Python 3.11 or newer; none was found."; \
		echo "Hint: install it, or name it: make PYTHON=/path/to/python3.11"; exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$("$$python" --version) ..."; \
	"$$python" -m venv $(VENV) || { rm -rf $(VENV); \
		echo "The virtual environment could not be made."; \
		echo "Hint: some systems keep venv in a package of its own (python3-venv)."; exit 1; }

define install
	@echo "Installing privet$(1) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.$(1)'
	@touch $@
endef

$(VENV)/.core: pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,)

$(VENV)/.test: pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,[test])

$(VENV)/.docs: pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,[docs])

$(VENV)/.package: pyproject.toml | $(VENV)/pyvenv.cfg
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2'
	@touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,[lint])

$(SPARK_VENV)/.spark: pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(SPARK_VENV) $(SPARK_VENV)/pyvenv.cfg
	@echo "Installing privet[test-spark] ..."
	@$(SPARK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[test-spark]'
	@touch $@

$(BENCH_VENV)/.bench: pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(BENCH_VENV) $(BENCH_VENV)/pyvenv.cfg
	@echo "Installing privet[bench] ..."
	@$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	@touch $@

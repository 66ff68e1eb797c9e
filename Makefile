# Two commands set everything up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test quick lint docs clean

demo: .venv/installed
	$(BIN)/saccade demo

test: .venv/installed-dev lint
	$(BIN)/pytest

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

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

.venv/installed-dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ .venv/installed

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

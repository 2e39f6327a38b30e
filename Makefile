# Everything a newcomer needs: `make demo` to see an audit, `make test` to check the house.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INSTALLED := $(VENV)/installed
TESTED := $(VENV)/installed-for-tests

.PHONY: demo test lint clean

demo: $(INSTALLED)
	$(BIN)/fairbrief audit examples/reviews.jsonl --out demo
	@echo
	@echo "The report is at $(CURDIR)/demo/report.html"

test: lint
	$(BIN)/python -m pytest -n auto $(PYTEST)

lint: $(TESTED)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) --editable .
	touch $@

$(TESTED): $(INSTALLED) tests/plugin_package/pyproject.toml tests/neural/hash-pinned.txt
	$(PIP) --group test --group neural
	$(PIP) --no-deps --no-build-isolation --editable . --editable tests/plugin_package
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement tests/neural/hash-pinned.txt
	touch $@

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

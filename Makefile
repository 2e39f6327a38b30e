# Everything a newcomer needs: `make demo` to see an audit, `make test` to check the house.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

.PHONY: demo test lint check clean

demo: $(INSTALLED)
	$(BIN)/fairbrief audit examples/reviews.jsonl --out demo
	@echo
	@echo "The report is at $(CURDIR)/demo/report.html"

test: $(INSTALLED) lint
	$(BIN)/python -m pytest -n auto $(PYTEST)

lint: $(INSTALLED)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable . --group test
	touch $(INSTALLED)

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

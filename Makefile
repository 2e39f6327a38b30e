# Everything a newcomer needs: `make demo` to see an audit, `make test` to check the project.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Without compiling: a package's modules are compiled where they are first imported, and most never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
INSTALLED := $(VENV)/installed
TESTED := $(VENV)/installed-for-tests

.PHONY: demo test pytest docs site lint bench fuzz clean

demo: $(INSTALLED)
	$(BIN)/fairbrief audit examples/reviews.jsonl --out demo
	@echo
	@echo "The report is at $(CURDIR)/demo/report.html"

# The checkers run beside the tests, which they would else keep waiting.
test: $(TESTED)
	$(MAKE) --no-print-directory --jobs 2 lint pytest

pytest: $(TESTED)
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST)

# The reference pages and the output shown in the README, from the code as it is.
docs: $(TESTED)
	$(BIN)/python -m docs.generate

# The pages as a site, in site/. A warning ends it.
site: $(INSTALLED)
	$(PIP) --group site
	$(BIN)/zensical build --strict --clean

lint: $(TESTED)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Speed on this machine, into benchmarks/results and docs/contributing/benchmarks.md. INPUTS holds real inputs, if there are any.
# The tests' plug-in is uninstalled first, since audits would take its measure, too.
INPUTS ?= ../shared/data
RESULTS := benchmarks/results
bench: $(TESTED)
	rm $(TESTED)
	$(BIN)/python -m pip uninstall --quiet --yes fairbrief-openings
	set -e; for name in resampling neural passages model_audit; do $(BIN)/python -m benchmarks.speed.$$name --out $(RESULTS); done
	if [ -d $(INPUTS) ]; then NLTK_DATA=$(INPUTS)/nltk_data; export NLTK_DATA; set -e; \
	$(BIN)/python -m benchmarks.speed.people --out $(RESULTS); \
	$(BIN)/python -m benchmarks.speed.representation $(INPUTS)/reviews/yelp__gpt-4.jsonl sentiment --records 300 --out $(RESULTS); \
	$(BIN)/python -m benchmarks.speed.position $(INPUTS)/news/xsum__lead1.jsonl --out $(RESULTS); \
	$(BIN)/python -m benchmarks.speed.padding $(INPUTS)/reviews/yelp__gpt-4.jsonl $(INPUTS)/tweets/claritin__alpaca-7b.jsonl $(INPUTS)/news/xsum__lead3.jsonl --out $(RESULTS); \
	$(BIN)/python -m benchmarks.speed.rouge $(INPUTS)/news/xsum__lead1.jsonl --out $(RESULTS); \
	$(BIN)/python -m benchmarks.speed.audit --file $(INPUTS)/reviews/yelp__gpt-4.jsonl --out $(RESULTS); \
	else $(BIN)/python -m benchmarks.speed.audit --out $(RESULTS); fi
	set -e; for name in growth hard_cases saved_audits view page; do $(BIN)/python -m benchmarks.speed.$$name --out $(RESULTS); done
	$(BIN)/python -m benchmarks.scale --out $(RESULTS)/scale.json
	$(BIN)/python -m benchmarks.scale --out $(RESULTS)/scale.json --page docs/contributing/benchmarks.md
	$(BIN)/python -m benchmarks.attempts --page docs/contributing/benchmarks.md
	$(BIN)/python -m benchmarks.table

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

# A million damaged inputs over all readers and loaders, an hour of inputs that reach new lines (on Linux on
# x86-64), and whole functions on texts of 100 KB; takes hours, and goes on from $(FUZZED).
FUZZED ?= benchmarks/results/fuzz-loaders.json
fuzz: $(TESTED)
	$(BIN)/python -m benchmarks.fuzz.loaders --out $(FUZZED) --keep fuzz-found --page docs/contributing/benchmarks.md
	$(BIN)/python -m benchmarks.fuzz.guided --seconds 3600
	$(BIN)/python -m benchmarks.fuzz.commands --inputs 1000
	$(BIN)/python -m benchmarks.fuzz.two_routes --inputs 1000
	FAIRBRIEF_LONGEST_TEXT=100000 $(BIN)/python -m pytest -n auto tests/properties/test_linear_time.py

clean:
	rm -rf $(VENV) demo site .mypy_cache .ruff_cache .pytest_cache .hypothesis

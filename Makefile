# The only interface of this book: people and CI run the same targets.
# Needs Python 3.11 or newer with venv, make and git; `make audit` needs Node and Java as well.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := .cache/bench
MUTANTS := .cache/mutants
LOCK := .cache/lock
PARALLEL := --numprocesses logical --maxprocesses 4 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help book serve test lab refresh train bench mutants audit reproduce kit pdf lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-16s %s\n", $$1, $$2}'

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c pass 2>/dev/null || { echo "$(PYTHON) does not run; Python 3.11 or newer is needed: make PYTHON=python3.12 book"; exit 1; }
	@echo "making $(VENV): about a minute, once"
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0] + ". Try make PYTHON=python3.12")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

book: $(READY)  ## execute the notebooks and build the site into _build/html
	$(BIN)/python tools/build.py

serve: book  ## build, then serve the site on this machine (PORT=8000)
	$(BIN)/python tools/serve.py --port $(or $(PORT),8000)

test: $(READY)  ## everything: style, unit, property and doc tests, notebooks (twice), site and JupyterLab in a browser
	$(BIN)/python tools/get_browser.py
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest $(PARALLEL)
	$(BIN)/python tools/limited_cpu.py $(BIN)/python -m pytest $(PARALLEL) chapters

lab: $(READY)  ## open the notebooks in JupyterLab, at the first chapter; there: Run, Run All Cells
	$(BIN)/jupyter lab --LabApp.news_url=None $(if $(filter 0,$(shell id -u)),--allow-root) chapters/foundations/scores.ipynb

refresh: $(READY)  ## execute every notebook and store its outputs in normal form (NOTEBOOKS="..." for some)
	$(BIN)/python tools/refresh.py $(NOTEBOOKS)

train: $(READY)  ## train every reader of the learning chapters on all cores (about ten minutes), then make refresh (TABLES="dates strips" for some)
	$(BIN)/python tools/train.py $(TABLES)
	$(BIN)/python tools/data/checksums.py

bench: book $(BENCH)/.ready  ## speed: explorers in a slowed browser, attnlib against other libraries as ratios
	$(BIN)/python tools/get_browser.py
	$(BIN)/python tools/bench_explorer.py
	$(BENCH)/bin/python tools/bench.py

$(BENCH)/.ready: tools/bench_requirements.txt requirements.txt
	$(PYTHON) -m venv --clear $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -r tools/bench_requirements.txt
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

mutants: $(MUTANTS)/.ready  ## break each expression of the numerics: does a test notice? (MODULES="scaling measures" for some)
	$(MUTANTS)/bin/python tools/mutants.py $(MODULES)

$(MUTANTS)/.ready: tools/mutants_requirements.txt
	$(PYTHON) -m venv --clear $(MUTANTS)
	$(MUTANTS)/bin/python -m pip install --quiet --disable-pip-version-check -r tools/mutants_requirements.txt
	@touch $@

audit: book  ## Lighthouse, HTML validity, accessibility, page weights and external links (needs Node and Java)
	$(BIN)/python tools/get_browser.py
	$(BIN)/python tools/audit.py

kit: book  ## zip the book, the notebooks and wheels for this platform: a classroom without internet
	$(BIN)/python tools/kit.py

pdf: book  ## print the whole book into one PDF below _build (PAPER=Letter for the other size)
	$(BIN)/python tools/get_browser.py
	$(BIN)/python tools/pdf.py --paper $(or $(PAPER),A4)

reproduce: $(READY)  ## build two clean clones in different folders and compare every byte
	$(BIN)/python tools/reproduce.py

lock: ## compile requirements.txt, with hashes, from pyproject.toml
	$(PYTHON) -m venv $(LOCK)
	$(LOCK)/bin/python -m pip install --quiet --disable-pip-version-check uv==0.13.9
	$(LOCK)/bin/uv pip compile pyproject.toml --all-extras --universal --fork-strategy fewest \
	    --generate-hashes --no-header --quiet --upgrade --output-file requirements.txt

clean:  ## remove everything that was built, the virtual environment included
	rm -rf _build .cache $(VENV) .pytest_cache .ruff_cache .hypothesis

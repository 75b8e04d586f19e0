# Phylon's verbs. `make run` and `make test` install all that they need.
.DEFAULT_GOAL := help
.PHONY: help run test test-fast lint format bench lock generate install ui chromium clean

PYTHON ?= python3
BIN := .venv/bin
UI := frontend/node_modules/.installed
UI_SOURCES := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -type f -print 2>/dev/null)

help:  ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 14

run: install frontend/dist/index.html  ## Install what is missing and start the platform on this machine
	PHYLON_HOME=$${PHYLON_HOME:-.phylon} $(BIN)/phylon up

test: lint frontend/dist/index.html chromium  ## Everything: linters, types, UI tests, all Python tests with real services
	cd frontend && npm run --silent test
	$(BIN)/pytest

test-fast: install  ## The tests without learning, fault and browser tests
	$(BIN)/pytest -m "not slow and not browser"

lint: install $(UI)  ## Style, types and import rules of Python and TypeScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	cd frontend && npm run --silent lint && npm run --silent typecheck

format: install $(UI)  ## Rewrite the sources in house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd frontend && npm run --silent format

bench: install  ## Run the benchmarks and write their tables
	$(BIN)/python -m benchmarks

generate: install $(UI)  ## Write again what is derived: catalogue, OpenAPI, TypeScript client
	$(BIN)/python -m phylon.worker.environments.catalogue
	$(BIN)/python -m phylon.backend.openapi > frontend/openapi.json
	cd frontend && npm run --silent generate

lock:  ## Resolve all dependencies anew and write requirements.lock
	rm -rf .make/lock && $(PYTHON) -m venv .make/lock
	.make/lock/bin/pip install --quiet --upgrade pip
	.make/lock/bin/pip install --quiet '.[server,worker,suites,torch,dev]'
	.make/lock/bin/pip freeze --exclude phylon | sed 's/+cpu$$//' > requirements.lock
	rm -rf .make/lock

install: $(BIN)/.installed

$(BIN)/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Phylon needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable '.[server,worker,suites,torch,dev]'
	@touch $@

$(UI): frontend/package.json frontend/package-lock.json
	@command -v npm > /dev/null || { echo "Phylon's UI needs Node 20 or newer with npm on PATH"; exit 1; }
	cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

frontend/dist/index.html: $(UI) $(UI_SOURCES)
	cd frontend && npm run --silent build
	@touch $@

ui: frontend/dist/index.html  ## Build the web UI

# The browser tests drive a real Chromium. On Debian and Ubuntu it is installed when we may; elsewhere we say what is missing.
chromium:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || { \
	  if command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium > /dev/null; \
	  else \
	    echo "The browser tests need Chromium. Install it (Debian: sudo apt-get install chromium) and run make test again,"; \
	    echo "or leave them out with make test-fast."; exit 1; \
	  fi; }

clean:  ## Remove everything that make can build again (not your experiments in .phylon)
	rm -rf .venv .make frontend/node_modules frontend/dist .pytest_cache .ruff_cache .hypothesis

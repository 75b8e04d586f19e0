# Phylon's commands. `make run` and `make test` install what they need, and no more.
.DEFAULT_GOAL := help
.PHONY: help run test test-fast chaos lint format bench screenshots lock generate install ui wheel chromium clean

PYTHON ?= python3
# Where it is set, each of the hundreds of processes that the tests start would compile all that it imports again.
unexport PYTHONDONTWRITEBYTECODE
BIN := .venv/bin
RUNNING := $(BIN)/.installed-for-running
DEVELOPING := $(BIN)/.installed-for-developing
UI := frontend/node_modules/.installed
UI_SOURCES := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -type f -print 2>/dev/null)
# Python compiles what it imports by itself; to compile all that is installed takes half a minute.
PIP_INSTALL := $(BIN)/pip install --disable-pip-version-check --no-compile --constraint requirements.lock
# Two processes, each with its own Redis, Postgres, ports and folders. Neighbouring tests stay in one process, which shares
# services and compiled programs between them, until a process that has nothing left takes half of the other's rest.
# Most tests watch real processes: one that fails on a busy machine gets a second chance and is named in the summary.
PYTEST := $(BIN)/pytest --numprocesses 2 --dist worksteal --reruns 1

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /	/' | expand -t 14

run:  ## Install what running needs and start the platform on this machine
	@$(MAKE) --no-print-directory -j2 $(RUNNING) frontend/dist/index.html
	PHYLON_HOME=$${PHYLON_HOME:-.phylon} $(BIN)/phylon up

test: lint frontend/dist/index.html chromium  ## Run everything: linters, types, UI tests, all Python tests with real services
	cd frontend && npm run --silent test
	$(PYTEST)

test-fast: install frontend/dist/index.html  ## Run the tests without learning, fault and browser tests
	$(PYTEST) -m "not slow and not browser"

lint: install $(UI)  ## Check style, types and import rules of Python and TypeScript
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	cd frontend && npm run --silent lint && npm run --silent typecheck

format: install $(UI)  ## Format the sources in house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd frontend && npm run --silent format

bench: install  ## Run the benchmarks and write their tables
	$(BIN)/python -m benchmarks

screenshots: install frontend/dist/index.html chromium  ## Take the pictures of docs/images from a platform that runs for them
	$(BIN)/python docs/screenshots.py

chaos: install  ## Storm over a platform for an hour, then ask the API 5,000 things that nobody thought of
	$(BIN)/python -m benchmarks.reliability storm --minutes 60
	$(BIN)/python -m benchmarks.reliability requests --cases 5000

generate: install $(UI)  ## Write what is derived: catalogue, OpenAPI document, TypeScript client
	$(BIN)/python -m phylon.worker.environments.catalogue
	$(BIN)/python -m phylon.backend.openapi > frontend/openapi.json
	cd frontend && npm run --silent generate

ui: frontend/dist/index.html  ## Build the web UI

wheel: install ui  ## Build the complete package, web UI included, into dist/
	$(BIN)/python -m build --no-isolation --outdir dist .

lock:  ## Resolve all dependencies again and write requirements.lock
	rm -rf .make/lock && $(PYTHON) -m venv .make/lock
	.make/lock/bin/pip install --quiet --upgrade pip
	.make/lock/bin/pip install --quiet '.[server,worker,suites,torch,wandb,mlflow,dev]'
	.make/lock/bin/pip freeze --exclude phylon | sed 's/+cpu$$//' > requirements.lock
	rm -rf .make/lock

install: $(DEVELOPING)

$(RUNNING): pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing the service, the engine and the environments (2 GB; about a minute once they are downloaded)"
	@$(PIP_INSTALL) --editable '.[server,worker,suites]'
	@touch $@

$(DEVELOPING): pyproject.toml requirements.lock | $(BIN)/python
	@echo "Installing the service, the engine, the environments and the developers' tools (3.5 GB; a few minutes)"
	@$(PIP_INSTALL) --editable '.[server,worker,suites,torch,wandb,mlflow,dev]'
	@touch $(RUNNING) $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Phylon needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv

$(UI): frontend/package.json frontend/package-lock.json
	@command -v npm > /dev/null || { echo "Phylon's UI needs Node 20 or newer with npm on PATH"; exit 1; }
	cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

frontend/dist/index.html: $(UI) $(UI_SOURCES)
	cd frontend && npm run --silent build
	@touch $@

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
	rm -rf .venv .make build dist *.egg-info frontend/node_modules frontend/dist .pytest_cache .ruff_cache .hypothesis

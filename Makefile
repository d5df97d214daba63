# Everything is run through here: `make` lists what there is.
.DEFAULT_GOAL := help
.PHONY: help install up check format test test-sqlite test-postgres coverage chaos bench-engine bench-scale bench-resume bench-viewers bench-pages bench-purge screenshots messages lock
PYTHON ?= python3
PORT ?= 8000
DEMO ?= 1
SEED ?= 1
ROUNDS ?= 3
MINUTES ?= 0
BIN := .venv/bin
STAMP := .venv/installed-$(shell cat requirements-dev.txt | cksum | cut -d' ' -f1)
export PORT DEMO

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

install: $(STAMP) ## make .venv, install the locked packages, compile the translations

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit("Taskboard needs Python 3.11 or newer; $(PYTHON) is %d.%d. Say which one to use: make install PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing; install it first (on Debian and Ubuntu: apt install python3-venv)." >&2; exit 1; }
	@echo "Installing into .venv (a minute on the first time) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@$(BIN)/python -m config.messages compile
	@rm -f .venv/installed-*; touch $@

up: install ## start web, workers and beat; PORT=8000, DEMO=0 without the sample audit
	@exec $(BIN)/python -m config.up

check: install ## format, lint, types, deployment settings, migrations, import arrows, templates
	@sh config/check.sh

format: install ## let ruff rewrite what it can
	@$(BIN)/ruff format . ; $(BIN)/ruff check --fix .

test: test-sqlite test-postgres ## all tests, on both databases

test-sqlite: install ## all tests on SQLite
	@$(BIN)/python -m pytest -n 4 --maxschedchunk 2

test-postgres: install ## all tests on a throw-away PostgreSQL
	@DATABASE_URL=postgres-throwaway $(BIN)/python -m pytest -n 4 --maxschedchunk 2

coverage: install ## tests with coverage, without the browser
	@$(BIN)/coverage run -m pytest -m "not browser" && $(BIN)/coverage report

chaos: install ## strike everything at random: SEED=1 ROUNDS=3 MINUTES=0 DB=sqlite (or postgres)
	@DATABASE_URL=$(if $(filter postgres,$(DB)),postgres-throwaway,$(DATABASE_URL)) $(BIN)/python -m tests.crash.chaos --seed $(SEED) --rounds $(ROUNDS) --minutes $(MINUTES)

bench-engine: install ## steps per second; the last line is one JSON object
	@$(BIN)/python -m bench.engine

bench-scale: install ## cost per step, memory and size up to 100,000 items; the last line is one JSON object
	@$(BIN)/python -m bench.scale

bench-resume: install ## kill -9 at half, and decisions until their step runs; the last line is one JSON object
	@$(BIN)/python -m bench.resume

bench-viewers: install ## from commit to browser with 1,000 viewers; the last line is one JSON object
	@$(BIN)/python -m bench.viewers

bench-pages: install ## server time and queries of the pages; the last line is one JSON object
	@$(BIN)/python -m bench.pages

bench-purge: install ## purge of 100 tasks of 1,000 items: memory, locks, speed; the last line is one JSON object
	@$(BIN)/python -m bench.purge

screenshots: install ## the pictures in docs/, taken from a running sample audit
	@$(BIN)/python -m bench.screenshots

messages: install ## collect the texts to translate, and compile what is translated
	@$(BIN)/python -m config.messages extract && $(BIN)/python -m config.messages compile

lock: ## write the lock files anew (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q pyproject.toml -o requirements.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header -q --extra dev pyproject.toml -o requirements-dev.txt

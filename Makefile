# Everything a newcomer needs: `make demo` and `make test`. Both set up what they need first; a second run starts at once.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
HELPER_SOURCES := $(wildcard packages/sandbox/src/intercode_sandbox/embedded/helper/* packages/sandbox/src/intercode_sandbox/docker/runner/*)
# One more than there are processors: tests often wait.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
SUITE ?= bookworm
PEERS ?=
NAMES ?=
REPO_URL ?=
TEST_FOLDERS := $(filter-out tests/integrations/ %/__pycache__/,$(wildcard tests/*/) $(wildcard tests/integrations/*/)) $(wildcard packages/*/tests)

.PHONY: help demo test test-all test-integrations bare disk lint types imports vm bench growth learn soak agreement conformance docs docs-serve commands picture screens tables page requirements clean

help: ## what can be made
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 14

demo: .venv/ready ## the starter Bash tasks with two agents, a table of results
	@echo "The starter tasks, played by their own answers (oracle), then by an agent that errs and recovers (scripted):"
	@$(BIN)/intercode run --dataset starter --agent oracle --parallel 2
	@$(BIN)/intercode run --dataset starter --agent scripted --agent-option script=starter_bash --parallel 2
	@echo && echo "To type just \`intercode\` in this shell: . $(BIN)/activate"

pytest = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal --tier $(1)

test: lint types imports ## lint, types, import rules, and the tests that matter most
	$(call pytest,essential)

test-all: test ## the same, then all other tests
	$(call pytest,rest) --reruns 1 --reruns-delay 5 --max-suite-reruns 3 --rerun-show-tracebacks
	@scripts/test_integrations.sh

bare: ## the same on a bare machine, made for it and gone afterwards (as root)
	@scripts/bare_machine.sh

test-integrations: .venv/tests ## each integration against the peer's real package (PEERS="openenv trl" for some)
	@scripts/test_integrations.sh $(PEERS)

# It compares with the sizes of real folders: a bare machine has all its files in memory, where folders have others.
disk: .venv/tests ## the test that a bare machine must leave out, since it needs a disk (and INTERCODE_DATA)
	$(BIN)/python -m pytest -rs tests/conformance/test_reused_containers.py::test_on_disk_folders_have_the_size_they_have_there

lint: .venv/tests ## ruff
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: .venv/tests ## mypy, strict
	$(BIN)/mypy
	@for folder in tests $(TEST_FOLDERS); do MYPYPATH=tests:packages/sandbox/tests $(BIN)/mypy $$(find $$folder -maxdepth $$(test $$folder = tests && echo 1 || echo 9) -name '*.py') || exit 1; done

imports: .venv/tests ## imports flow downwards only
	$(BIN)/lint-imports

vm: ## a part of the tests on a real Debian in a virtual machine, as root and as a user (SUITE=bookworm; needs root, qemu)
	scripts/vm.sh $(SUITE) scripts/vm_tests.sh

.venv/benchmarks/ready: .venv/ready requirements/benchmarks.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/benchmarks
	@INTO=.venv/benchmarks/bin/python scripts/install.sh --require-hashes -r requirements/benchmarks.txt
	@touch $@

bench: .venv/tests ## every figure in docs/benchmarks.md, in one interleaved run
	-@$(MAKE) .venv/benchmarks/ready # without it the run names what it leaves out
	$(BIN)/python -m benchmarks

growth: .venv/tests ## how cost grows with files, changes, output, sessions and turns: figures and pictures
	$(BIN)/python -m benchmarks.growth --pictures docs/pictures

soak: .venv/tests ## all worlds for MINUTES=60 while processes are killed, disks fill up and models err
	$(BIN)/python -m benchmarks.soak --minutes $(or $(MINUTES),60)

learn: .venv/tests ## the learning curves in docs/learning-curve.md, and their plots
	$(BIN)/python -m examples.learning_curve --long --out examples/learning_curve/curves/templates.json
	$(BIN)/python -m examples.learning_curve.plot examples/learning_curve/curves/templates.json docs/pictures

agreement: .venv/tests ## how far scorings agree with people who read recorded episodes (needs INTERCODE_DATA)
	$(BIN)/python -m benchmarks.agreement

banks: .venv/tests ## hackcheck on all banks of planted holes; `make test-all` takes a twelfth of each
	$(BIN)/python -m pytest -n $(JOBS) -m bank --banks=whole

conformance: .venv/tests ## all published Bash recordings, whole (needs INTERCODE_DATA)
	$(BIN)/python -m pytest -n $(JOBS) -m conformance --conformance=whole --timeout=0 -o faulthandler_timeout=0

.venv/ready: pyproject.toml packages/generate/pyproject.toml packages/sandbox/pyproject.toml packages/sandbox/build_helper.py requirements/run.txt requirements/uv.txt $(HELPER_SOURCES) scripts/setup.sh scripts/install.sh
	@scripts/setup.sh $(PYTHON)
	@test -x $(BIN)/uv || { $(PYTHON) -m venv .venv && $(BIN)/python -m pip -q install --require-hashes -r requirements/uv.txt; }
	@echo "installing Python packages into .venv …"
	@scripts/install.sh --require-hashes -r requirements/run.txt
	@scripts/install.sh --no-deps --no-build-isolation -e packages/sandbox -e . -e packages/generate
	@touch $@

.venv/tests: .venv/ready requirements/test.txt requirements/data.txt
	@scripts/setup.sh $(PYTHON) tests
	@scripts/install.sh --require-hashes -r requirements/test.txt
	@scripts/install.sh --require-hashes --no-deps -r requirements/data.txt
	@touch $@

.venv/site/ready: .venv/ready requirements/site.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/site
	@INTO=.venv/site/bin/python scripts/install.sh --require-hashes -r requirements/site.txt
	@touch $@

docs: .venv/site/ready ## the documentation site in build/site; a broken link is an error (REPO_URL= where its source is)
	.venv/site/bin/python scripts/build_site.py --repo-url=$(REPO_URL)

docs-serve: .venv/site/ready ## the same on http://localhost:8000, made anew when a page changes
	.venv/site/bin/zensical serve

commands: .venv/tests ## the page of all commands, from what their help says
	$(BIN)/python scripts/cli_reference.py

picture: .venv/tests ## the README's picture of a run
	$(BIN)/python scripts/picture.py

screens: .venv/tests ## the pictures in docs/how-to/view.md (needs Chromium)
	$(BIN)/python scripts/view_pictures.py

tables: .venv/tests ## pictures of commands on terminals of several widths, to look at, in build/screens (needs Chromium)
	$(BIN)/python scripts/screens.py $(NAMES)

page: ## the page of `intercode view`, from web/src (needs npm)
	cd web && npm ci --ignore-scripts && npm run build

requirements: .venv/ready ## pin anew what pyproject.toml asks for
	$(BIN)/python scripts/pin.py

clean: ## forget the virtual environment and what the tools kept
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

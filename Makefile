# make run    set everything up and open the dashboard on ./runs and the sample runs
# make test   set everything up and run all tests, the browser ones included
# make test-fast  the tests that start no process and no browser (two minutes on two cores)
# make test-slurm  the tests on a Slurm cluster, which runs on this machine from Debian's packages; installs them as root (five minutes)
# make test-ray  the tests on a Ray cluster, which runs on this machine in an environment of its own (three minutes)
# make check  format, lint, types and import contracts
# make reference  write the generated pages of docs/ anew: docs/reference and the drawing in docs/design.md
# make translations  find the texts that a user reads, and bring the files of their translations up to them
# make reports  write docs/reports: what diagnose says of the sample runs, as text, Markdown and HTML
# make screenshots  take the pictures in docs/screenshots anew: every page in its important states, light and dark
# make parity compare PPO, GRPO and RLOO with TRL's, and follow runs of TRL's while they train, in an environment of its own (ten minutes)
# make detection-trl  train another hour of TRL's runs with known faults, and judge all that are trained, beside three other monitors
# make fuzz   open 50,000 damaged logs of every format: each must become a run or a clear error, in 10 s of CPU time and 500 MB (an hour)
# make read-speed  time the reading of logs beside TensorBoard's readers, on a machine that does nothing else (ten minutes)
# make dashboard-speed  time the dashboard beside TensorBoard and trackio, on a machine that does nothing else (half an hour)
# make speed  time PPO and GRPO beside TRL's, and the log, on a machine that does nothing else (25 minutes)
#
# TORCH_SOURCE=URL|FOLDER   where pip finds a CPU-only torch (a package index, or a folder of wheels);
#                           without it torch comes from pip's own configuration and may bring CUDA along (gigabytes)

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PORT   ?= 8501
PIP    := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints.txt
TRL    := .venv-trl
READERS := .venv-readers
PEERS  := .venv-peers
DASHBOARDS := .venv-dashboards
RAY := .venv-ray
NEWER_TRL := .venv-trl-1.16
OLD_TRL := .venv-trl-0.7
TRL_PIP := bin/python -m pip install --quiet --disable-pip-version-check --constraint benchmarks/trl-libraries.txt
INPUTS := pyproject.toml constraints.txt

# What is imported is compiled once, and not anew by each of the hundreds of processes that the tests start. pip does not
# compile: most of what it installs is never imported.
export PYTHONDONTWRITEBYTECODE :=

ifneq ($(TORCH_SOURCE),)
TORCH_FROM := $(if $(findstring ://,$(TORCH_SOURCE)),--index-url,--no-index --no-deps --find-links) $(TORCH_SOURCE)
endif

.PHONY: run test test-fast test-slurm test-ray check format samples reference translations reports screenshots checkpoints parity speed read-speed dashboard-speed detection-trl real-logs fuzz clean

run: $(VENV)/.run
	$(BIN)/rlvitals --port $(PORT)

test: $(VENV)/.dev
	./tests/chromium.sh
	./tests/servers.sh
	$(BIN)/python -m pytest -m "not slurm and not ray" --numprocesses logical --maxprocesses 8 --dist worksteal

test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -m fast --numprocesses logical --maxprocesses 8 --dist worksteal

test-slurm: $(VENV)/.dev
	./tests/slurm.sh
	$(BIN)/python -m pytest -m slurm tests/slurm

test-ray: $(VENV)/.dev $(RAY)/.ready
	$(BIN)/python -m pytest -m ray tests/ray_cluster

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

samples: $(VENV)/.dev
	$(BIN)/python sample_runs/generate.py

reference: $(VENV)/.dev
	$(BIN)/python -m docs.generate

translations: $(VENV)/.dev
	$(BIN)/python -m docs.translations

reports: $(VENV)/.dev
	$(BIN)/python sample_runs/reports.py

screenshots: $(VENV)/.dev
	./tests/chromium.sh
	$(BIN)/python -m docs.generate.screenshots

checkpoints: $(VENV)/.dev
	$(BIN)/python -P -m trainer.tasks.build addition
	$(BIN)/python -P -m trainer.tasks.build remarks
	$(BIN)/python -P -m trainer.tasks.build remarks-pieces

parity: $(VENV)/.dev $(TRL)/.ready $(NEWER_TRL)/.ready
	$(BIN)/python -m benchmarks.trl_parity --trl-python $(TRL)/bin/python --output docs/benchmarks/parity.md
	TRL_PYTHON=$(CURDIR)/$(TRL)/bin/python $(BIN)/python -m pytest tests/benchmarks/test_parity.py tests/benchmarks/test_live_trl.py tests/benchmarks/test_trl_callback.py tests/benchmarks/test_trl_recipes.py
	TRL_PYTHON=$(CURDIR)/$(NEWER_TRL)/bin/python $(BIN)/python -m pytest tests/benchmarks/test_trl_callback.py

speed: $(VENV)/.dev $(TRL)/.ready
	$(BIN)/python -m benchmarks.trainer_speed --trl-python $(TRL)/bin/python --output docs/benchmarks/trainer.md
	$(BIN)/python -m benchmarks.logging_cost --output docs/benchmarks/logging.md
	$(BIN)/python -m benchmarks.callback_cost --trl-python $(TRL)/bin/python --output docs/benchmarks/callback.md

read-speed: $(VENV)/.dev $(READERS)/.ready
	$(BIN)/python -m benchmarks.readers --peers $(READERS)/bin/python --output docs/benchmarks/readers.md

dashboard-speed: $(VENV)/.dev $(DASHBOARDS)/.ready
	$(BIN)/python -m benchmarks.dashboard --peers $(DASHBOARDS)/bin/python --output docs/benchmarks/dashboard.md

detection-trl: $(VENV)/.dev $(TRL)/.ready $(NEWER_TRL)/.ready $(OLD_TRL)/.ready $(PEERS)/.ready
	$(BIN)/python -m benchmarks.detection_trl --budget-minutes 60 --peers-python $(PEERS)/bin/python

real-logs: $(VENV)/.dev
	@test -n "$(LOGS)" || { echo "name the folder for the logs, outside of this one: make real-logs LOGS=DIR"; exit 1; }
	$(BIN)/python -m benchmarks.real_logs "$(LOGS)" --fetch

fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz.readers --cases 50000 --output docs/benchmarks/fuzz.md
	$(BIN)/python -m tests.fuzz.many_names

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "rlvitals needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1); name another with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make a virtual environment (venv or ensurepip is missing); on Debian run once, as root: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.torch: $(VENV)/bin/python $(INPUTS)
	$(if $(TORCH_SOURCE),$(PIP) $(TORCH_FROM) torch)
	@touch $@

$(VENV)/.run: $(VENV)/.torch $(INPUTS)
	@echo "Setting up rlvitals in $(VENV); the first time takes a few minutes."
	$(PIP) --editable '.[all]'
	@touch $@

$(VENV)/.dev: $(VENV)/.run $(INPUTS)
	$(PIP) --editable '.[dev]'
	@touch $@

# TRL needs environments of its own: the last version with a PPO trainer, and a newer one for GRPO and RLOO.
$(TRL)/.ready: benchmarks/trl-requirements.txt
$(NEWER_TRL)/.ready: benchmarks/trl-1.16-requirements.txt
$(TRL)/.ready $(NEWER_TRL)/.ready: benchmarks/trl-libraries.txt
	$(PYTHON) -m venv $(@D)
	$(if $(TORCH_SOURCE),$(@D)/$(TRL_PIP) $(TORCH_FROM) torch)
	$(@D)/$(TRL_PIP) --requirement benchmarks/$(patsubst .venv-%,%,$(@D))-requirements.txt
	@touch $@

# The API that TRL had before its Trainers of PPO needs the libraries of its time.
$(OLD_TRL)/.ready: benchmarks/trl-0.7-requirements.txt
	$(PYTHON) -m venv $(@D)
	$(if $(TORCH_SOURCE),$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH_FROM) torch==2.13.0)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# Every reader, monitor and dashboard that ours are compared with, in environments that nothing else changes.
$(READERS)/.ready: benchmarks/readers-requirements.txt
$(PEERS)/.ready: benchmarks/peers-requirements.txt
$(DASHBOARDS)/.ready: benchmarks/dashboards-requirements.txt
$(RAY)/.ready: tests/ray_cluster/requirements.txt
$(READERS)/.ready $(PEERS)/.ready $(DASHBOARDS)/.ready $(RAY)/.ready:
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

clean:
	rm -rf $(VENV) $(TRL) $(NEWER_TRL) $(OLD_TRL) $(READERS) $(PEERS) $(DASHBOARDS) $(RAY) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

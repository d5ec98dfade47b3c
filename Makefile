# make demo   fly the tennis racket through real ROS 2 and draw what was recorded
# make test   run every test
# make quick  run the tests that need no ROS and little time
# make venv   only make the environment of the tests, in .venv, and compile once
# make mutants  plant N faults drawn with SEED (in modules ONLY), and count those the tests notice
# make fuzz   read ten thousand damaged files; make fuzz N=100 a hundred
# make bench  measure speed, as ratios within one run
# make soak MINUTES=45  run for long on a busy machine and see whether anything grows
# make pictures  draw every picture of the documents anew
# make docs   build the documentation site into site/: open site/index.html, search works offline
# make lock   after a change of constraints.txt or setup.py: make requirements*.txt anew, with uv

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUTPUT := output
UV ?= uv
N := 10000
# Whole files, in the order of test/conftest.py; four for two processors, for flights often wait. A
# worker that dies ends the run: xdist would give its file to others, which may die of it, too, and
# then wait for ever.
WORKERS := -n 4 --dist loadfile --no-loadscope-reorder --max-worker-restart=0
INSTALLED := $(shell find src launch config scripts resource -type f ! -name '*.pyc' ! -path '*.egg-info/*') package.xml

# Keep a sourced ROS installation or another environment out of this one.
unexport PYTHONPATH
# pytest keeps the tests that it has rewritten; without, each worker spends eight seconds on it.
unexport PYTHONDONTWRITEBYTECODE
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE

.PHONY: demo test checked collected quick venv fuzz mutants bench soak pictures docs lock clean

# Two sets: what the demo needs, and what tests, campaigns and the viewer need beside it.
TESTED := $(VENV)/installed $(VENV)/test-dependencies
venv: $(TESTED) $(VENV)/compiled

demo: $(VENV)/installed
	@mkdir -p $(OUTPUT)
	$(BIN)/attitude-sim run tennis_racket --record $(OUTPUT)/tennis_racket \
	    --csv $(OUTPUT)/tennis_racket.csv --overwrite
	$(BIN)/attitude-sim plot $(OUTPUT)/tennis_racket --animate
	@echo
	@echo 'Look at $(OUTPUT)/tennis_racket.gif and $(OUTPUT)/tennis_racket.png; next, try'
	@echo '  $(BIN)/attitude-sim scenarios'
	@echo '  $(BIN)/attitude-sim run cubesat_tumble --rate 10'

# What is installed and checked needs one processor, and compiling needs no test dependency: that is
# downloaded while pip unpacks the others.
test:
	$(MAKE) -j2 $(VENV)/installed $(if $(wildcard $(VENV)/test-dependencies),,$(VENV)/downloaded)
	$(BIN)/python test/compile_kernels.py $(MAKE_COMMAND) checked collected
	$(BIN)/python -m pytest $(WORKERS)

# What other systems lack is of Python's own, so there the types of libraries do not count.
checked: $(TESTED)
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --no-site-packages --disable-error-code valid-type \
	    --disable-error-code index --cache-dir .mypy_cache/win32

# One process rewrites the asserts of the tests; else each worker would, at the same time.
collected: $(TESTED)
	@$(BIN)/python -m pytest --collect-only -q >$(VENV)/collected.txt \
	    || (tail -n 50 $(VENV)/collected.txt; exit 1)

quick: $(TESTED)
	$(BIN)/python -m pytest $(WORKERS) -m quick

fuzz: $(TESTED)
	$(BIN)/python test/fuzz.py $(N)

SEED ?= 1
mutants: $(TESTED)
	$(BIN)/python test/mutants.py -n $(or $(N),60) --seed $(SEED) --only '$(ONLY)'

# What is measured talks on this machine only.
bench: export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST
bench: venv
	$(BIN)/python bench/bench.py

MINUTES ?= 45
soak: venv
	$(BIN)/python bench/soak.py --minutes $(MINUTES) --delete-bags

pictures: venv
	$(BIN)/python docs/make_pictures.py

docs: venv
	$(BIN)/sphinx-build -q -E -W --keep-going -c docs . site
	@echo 'Open site/index.html'

# Python compiles what it imports, and no other module: a quarter of the time of an installation.
PIP := install --disable-pip-version-check --no-compile --require-hashes --no-build-isolation

$(VENV)/build.txt: requirements.txt setup.py
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13) \
	    and "Python 3.10 to 3.13 is needed, this is " + sys.version.split()[0] \
	    + "; try make PYTHON=python3.12")'
	@echo 'Installing into $(VENV): 190 MB to download, 750 MB on disk. pip is silent while it unpacks: about a minute.'
	$(PYTHON) -m venv $(VENV)
	@# What others are built with first; nothing is installed whose hash is not in requirements.txt.
	sed -nE '/^(packaging|setuptools|wheel)==/,/[^\\]$$/p' requirements.txt >$@.new
	$(BIN)/pip $(PIP) --quiet -r $@.new
	@mv $@.new $@

$(VENV)/dependencies: $(VENV)/build.txt
	$(BIN)/pip $(PIP) -r requirements.txt
	@touch $@

# All that is needed is in the file, so that pip need not look for more.
$(VENV)/downloaded: requirements-test.txt | $(VENV)/build.txt
	@echo 'Downloading what tests need beside it: 270 MB.'
	$(BIN)/pip download --disable-pip-version-check --quiet --require-hashes --no-deps \
	    --no-build-isolation -d $@.part -r requirements-test.txt
	@mv $@.part $@

$(VENV)/test-dependencies: requirements-test.txt | $(VENV)/installed
	@echo 'Installing what tests need beside it: 270 MB to download, 1 GB on disk, half a minute.'
	$(BIN)/pip $(PIP) --no-deps -r requirements-test.txt \
	    $(if $(wildcard $(VENV)/downloaded),--no-index --find-links $(VENV)/downloaded)
	@rm -rf $(VENV)/downloaded
	@touch $@

$(VENV)/installed: $(VENV)/dependencies $(INSTALLED)
	@rm -rf build
	@echo 'Installing the package itself: some seconds.'
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	    --force-reinstall .
	@rm -rf build
	@touch $@

# Once: after a change of the code a run compiles what it needs.
$(VENV)/compiled: | $(VENV)/installed
	-$(BIN)/attitude-sim warm-up
	@touch $@

# A universal lock has lines of Windows, too; what is in requirements.txt is not said again.
LOCK = echo wheel | $(UV) pip compile setup.py - -c constraints.txt --universal --python-version 3.10 \
    --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet --output-file requirements.new
# FMPy says that it needs them. No test builds a unit with cmake. The package lark-parser, which ROS
# needs, has the module lark, too; both in one environment would overwrite each other.
LEFT_OUT := cmake lark
lock:
	@rm -f requirements.new
	$(LOCK) --extra ros
	@awk 'BEGIN { print "# Made by make lock: what make demo installs, pinned by constraints.txt." } \
	    /^[^ ]/ { left_out = /sys_platform == .win32/ } !left_out' requirements.new >requirements.txt
	$(LOCK) --extra ros --extra test $(LEFT_OUT:%=--no-emit-package %)
	@awk 'BEGIN { print "# Made by make lock: what make venv and make test install beside requirements.txt." } \
	    NR == FNR { said[$$0]; next } /^[^ ]/ { left_out = /sys_platform == .win32/ || $$0 in said } !left_out' \
	    requirements.txt requirements.new >requirements-test.txt
	@rm requirements.new

clean:
	rm -rf $(VENV) $(OUTPUT) build install log site src/*.egg-info

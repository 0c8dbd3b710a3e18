# hedgerow: `make reproduce` runs the experiments, `make test` checks everything.
#
# PYTHON chooses the interpreter of the virtual environment, CORES the number of cores:
#     make reproduce PYTHON=python3.12 CORES=4
#
# PROFILE=slurm runs it on a cluster (docs/workflow.md); CORES is then of a group of jobs.
# RETRY_ABSENT=1 asks again for data sets that no source had.

PYTHON ?= python3
CORES ?= all
PROFILE :=

# Meson and the shell take a folder with a quote apart.
ifneq ($(findstring ',$(CURDIR))$(findstring ",$(CURDIR)),)
$(error the path of this folder has a quote: $(CURDIR); move it to one without)
endif

VENV := .venv
STAMP := $(VENV)/.complete
# Modules are compiled to bytecode when they are first imported; most of them never are.  Where
# the environment forbids that, each interpreter would compile them anew.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(VENV)/bin/python -m pip install -qq --disable-pip-version-check --no-compile
# What comes as source is built with what requirements-build.lock has put there before: in an
# environment of its own pip would take the newest builder, and no hash is asked of that.
PIP_LOCKED := $(PIP) --require-hashes --no-build-isolation --use-pep517
BUILD_LOCK := requirements-build.lock
BUILD_FILES := requirements.lock $(BUILD_LOCK) pyproject.toml $(wildcard meson.build meson.options) \
	$(shell find src -name meson.build -o -name pyproject.toml)

# CC of the environment or the command line, else what the build looks for.
COMPILERS := $(if $(filter default undefined,$(origin CC)),cc gcc clang,$(firstword $(CC)))

# The editable install rebuilds the compiled core on import and looks for cython and ninja here.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup reproduce extensions paper test test-quick test-learner test-study test-clinic test-long test-asan test-slurm test-lowest test-newest checks fuzz test-dist release-check release-files types bench times docs docs-links generated lock advisories clean distclean FORCE

help:
	@echo "make setup      make $(VENV) and build the package"
	@echo "make reproduce  set-up, then the default configuration, from download to report"
	@echo "make extensions  the same, then questions of our own and verdicts over all analytic choices"
	@echo "make paper      set-up, then everything at the scale of the papers: hours, and can be resumed"
	@echo "make test       set-up, then all tests and style checks"
	@echo "make test-quick without Snakemake and what is slow, few random tables: for use while writing"
	@echo "make test-learner, test-study, test-clinic  the tests of one package"
	@echo "make test-long  with every random table, make test-slurm, pages of the first hour"
	@echo "make test-asan  set-up, then the tests of the compiled cores under AddressSanitizer and UBSan"
	@echo "make test-slurm set-up, then the workflow on a Slurm of this machine (root, Debian), with faults"
	@echo "make test-lowest set-up, then all tests with the lowest versions allowed of numpy and others"
	@echo "make test-newest the same with the newest ones"
	@echo "make fuzz       set-up, then five minutes of spoilt trees and odd tables through everything"
	@echo "make checks     set-up, then the libraries without which some tests are skipped"
	@echo "make types      set-up, then the types of five rooms, by mypy"
	@echo "make test-dist  set-up, then source archive, wheel and the README in empty environments"
	@echo "make release-check  make checks, then whether a version can go out: archive, wheels, what they do elsewhere"
	@echo "make bench      set-up, then the timings against scikit-learn"
	@echo "make times      the two commands in a fresh clone, and what README says of their times"
	@echo "make docs       set-up, then the pages, docs/_build/html/index.html (docs-links: other sites' too)"
	@echo "make generated  write the files that follow from others (environment.yml, CITATION.cff, config/, a picture)"
	@echo "make lock       choose new versions of all dependencies"
	@echo "make advisories known weaknesses of the locked versions, by pip-audit (asks a server)"
	@echo "make clean      remove what the workflow made, downloads excepted"
	@echo "make distclean  remove downloads, build and $(VENV) as well"

# --- set-up -----------------------------------------------------------------------------------

setup: $(STAMP)

# A virtual environment does not survive a move of its folder: the stamp holds the place.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
$(STAMP): FORCE
endif

$(STAMP): $(BUILD_FILES)
	@'$(PYTHON)' -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo 'hedgerow needs Python 3.11 or newer and `$(PYTHON)` is not; name one: make PYTHON=python3.12 $(MAKECMDGOALS)' >&2; exit 1; }
	@'$(PYTHON)' -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo '`$(PYTHON)` comes without the venv module; install it (Debian and Ubuntu: python3-venv)' >&2; exit 1; }
	@'$(PYTHON)' -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || { \
	    echo '`$(PYTHON)` comes without its C headers; install them (Debian and Ubuntu: python3-dev)' >&2; exit 1; }
	@for compiler in $(COMPILERS); do command -v $$compiler >/dev/null && exit 0; done; \
	    echo 'hedgerow needs a C compiler and found none of: $(COMPILERS); install one (Debian and Ubuntu: gcc) or name it: make CC=... $(MAKECMDGOALS)' >&2; exit 1
	@[ ! -e $(STAMP) ] || [ "$$(cat $(STAMP))" = "$(CURDIR)" ] || rm -rf $(VENV) build
	@$(VENV)/bin/python -m pip --version >/dev/null 2>&1 || '$(PYTHON)' -m venv --clear $(VENV)
	@rm -f $(STAMP)
	@echo 'Installing the dependencies of requirements.lock into $(VENV)'
	@$(PIP_LOCKED) -r $(BUILD_LOCK)
	@$(PIP_LOCKED) -r requirements.lock
	@echo 'Building hedgerow'
	@$(PIP) --no-deps --no-build-isolation --editable . $(addprefix --editable ./,$(wildcard src/hedgerow_*))
	@printf '%s' "$(CURDIR)" > $(STAMP)

# --- use --------------------------------------------------------------------------------------

# The profile says how many cores, unless CORES does.
ON_CORES := --cores $(CORES)
ifneq ($(PROFILE),)
ON_CORES := --profile workflow/profiles/$(PROFILE) $(if $(filter file,$(origin CORES)),,--cores $(CORES))
endif
# Data sets that no source had are asked for again.
AGAIN := $(if $(RETRY_ABSENT),--retry-absent)
EXECUTOR := $(if $(filter slurm,$(PROFILE)),$(VENV)/.cluster)

reproduce: setup $(EXECUTOR)
	@python -m hedgerow_study.workflow.run $(ON_CORES) $(AGAIN)

extensions: setup $(EXECUTOR)
	@python -m hedgerow_study.workflow.run $(ON_CORES) $(AGAIN) --configfile config/extensions.yaml

$(VENV)/.cluster: requirements-cluster.lock $(STAMP)
	@echo 'Installing what runs on a cluster takes (requirements-cluster.lock)'
	@$(PIP_LOCKED) -r requirements-cluster.lock
	@touch $@

# In as many processes as there are cores, the tests of a file in one; tests/processor_times.py orders files.
PROCESSES := --numprocesses auto --dist loadfile --no-loadscope-reorder
PYTEST := python -m pytest $(PROCESSES)

paper: setup $(EXECUTOR)
	@python -m hedgerow_study.workflow.run $(ON_CORES) $(AGAIN) --configfile config/paper.yaml

test: setup
	@$(PYTEST)

test-quick: setup
	@$(PYTEST) --effort quick

# The tests of one package; those of the tests folder itself are about all.
test-learner test-study test-clinic: setup
	@$(PYTEST) $(@:test-%=tests/%)

test-long: setup
	@$(PYTEST) --effort long
	@$(MAKE) --no-print-directory test-slurm
	@python tests/first_hour.py

test-asan: setup
	@python ci/sanitizers.py

# Says so where there can be no Slurm, and is no failure then.
test-slurm: setup $(VENV)/.cluster
	@python ci/slurm.py

# The last commit, with the lowest or newest versions that pyproject.toml allows.
test-lowest test-newest: setup
	@python ci/bounds.py --python '$(PYTHON)' $(@:test-%=%) $(PROCESSES)

# Libraries that a reader of the results does not need: checks against them, and their data sets.
checks: setup
	@$(PIP_LOCKED) -r requirements-checks.lock

types: checks
	@python -m mypy

fuzz: setup
	@python ci/fuzz.py

test-dist: setup
	@python ci/distribution.py

# What goes out is left in dist. With PYTHONS="PATH ..." for interpreters that are not found.
release-check: checks
	@python ci/release.py $(addprefix --python ,$(PYTHONS))

release-files: checks
	@python ci/release.py --files dist

bench: setup
	@python benchmarks/bench.py

# In a fresh clone of the last commit: nothing else may run beside it.
times:
	@'$(PYTHON)' ci/times.py --python '$(PYTHON)'

# Pictures and examples are made by the build; a warning is an error.
SPHINX := python -m sphinx --fail-on-warning --keep-going --quiet --conf-dir docs \
	--doctree-dir docs/_build/doctrees

docs: $(VENV)/.docs
	@$(SPHINX) --builder html . docs/_build/html
	@echo 'Open docs/_build/html/index.html'

docs-links: $(VENV)/.docs
	@$(SPHINX) --builder linkcheck . docs/_build/links

$(VENV)/.docs: requirements-docs.lock $(STAMP)
	@echo 'Installing what builds the pages (requirements-docs.lock)'
	@$(PIP_LOCKED) -r requirements-docs.lock
	@touch $@

generated: setup
	@python -m hedgerow_study.workflow.showing.generated --write
	@python tests/rooms.py

LOCKS := requirements.lock requirements-checks.lock requirements-docs.lock requirements-cluster.lock \
	$(BUILD_LOCK)
# The extras of each lock.
EXTRAS := build frames draw data survival test
CHECKS := forests browser polars types release
DOCS := docs
# Tools for the locks: which program, of which package.
LOCK_TOOL = [ -x .venv-lock/bin/$(1) ] || { \
	{ [ -x .venv-lock/bin/python ] || '$(PYTHON)' -m venv .venv-lock; } && \
	.venv-lock/bin/python -m pip install --quiet $(2); }
COMPILE = cd .venv-lock && CUSTOM_COMPILE_COMMAND='make lock' bin/pip-compile --quiet --upgrade \
	--generate-hashes --allow-unsafe --strip-extras \
	--no-emit-index-url --no-emit-trusted-host --no-emit-find-links

# An index of packages is asked or, with ADVISORIES=osv, a database of advisories.
ADVISORIES ?= pypi
advisories:
	@$(call LOCK_TOOL,pip-audit,pip-audit)
	@.venv-lock/bin/pip-audit --strict --disable-pip --require-hashes --vulnerability-service $(ADVISORIES) \
	    $(addprefix --requirement ,$(LOCKS))

lock:
	@$(call LOCK_TOOL,pip-compile,pip-tools)
	@# An extra that takes others along would lock this folder as a package: all of them are named.
	@sed -E 's/"hedgerow\[[^]]*\]",? ?//' pyproject.toml > .venv-lock/pyproject.toml
	@# What the other packages ask for, and their extras.
	@'$(PYTHON)' -c 'import tomllib; \
	    all = {name: tomllib.load(open(f"src/hedgerow_{name}/pyproject.toml", "rb"))["project"] for name in ("study", "clinic")}; \
	    wanted = {name: [one for one in own["dependencies"] if not one.startswith("hedgerow")] for name, own in all.items()}; \
	    wanted |= {extra: lines for own in all.values() for extra, lines in own["optional-dependencies"].items()}; \
	    [open(f".venv-lock/{name}.in", "w").write("\n".join(lines)) for name, lines in wanted.items()]'
	@$(COMPILE) $(patsubst %,--extra %,$(EXTRAS)) --output-file ../requirements.lock pyproject.toml study.in clinic.in
	@$(COMPILE) $(patsubst %,--extra %,$(CHECKS)) --constraint ../requirements.lock \
	    --output-file ../requirements-checks.lock pyproject.toml documents.in
	@$(COMPILE) $(patsubst %,--extra %,$(DOCS)) --constraint ../requirements.lock \
	    --output-file ../requirements-docs.lock pyproject.toml
	@$(COMPILE) --constraint ../requirements.lock --output-file ../requirements-cluster.lock cluster.in
	@# What builds the package, and setuptools for the dependencies that come as source.
	@'$(PYTHON)' -c 'import tomllib; all = tomllib.load(open("pyproject.toml", "rb")); \
	    extra = all["project"]["optional-dependencies"]["build"]; \
	    print("setuptools", *all["build-system"]["requires"], *extra, sep="\n")' > .venv-lock/build.in
	@$(COMPILE) --constraint ../requirements.lock --output-file ../$(BUILD_LOCK) build.in
	@# pip-compile drops the marker of these extras, which do not install on Python 3.13.
	@sed -i -E -e '/^$$|^# The following packages are considered|^    #   -c /d' \
	    -e 's/^(ecos|numexpr|osqp|scikit-survival)==([^ ]+) \\$$/\1==\2 ; python_version < "3.13" \\/' \
	    $(LOCKS)
	@$(MAKE) --no-print-directory generated

clean:
	rm -rf data/tidy data/noised data/calibrated data/trees data/results data/logs data/jobs data/edited data/changes .snakemake
	[ ! -d reports ] || find reports -mindepth 1 ! -path reports/README.md -delete
	rm -rf docs/_build docs/api docs/gallery docs/sg_execution_times.rst
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis

distclean: clean
	rm -rf data/raw build dist $(VENV) .venv-lock

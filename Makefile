# Next Token: every command of the course. `make` alone lists them.
#
# Each command does its own set-up: it installs what is missing, configures and builds, then does what its
# name says. The work is done by CMake (CMakePresets.json) and the scripts in common/cmake and tests/course.

SHELL := /bin/bash
.DEFAULT_GOAL := help

BUILD        ?= build#       where to build
JOBS         ?= $(shell common/cmake/setup.sh jobs)
WERROR       ?= OFF#         ON: compiler warnings are errors (read when a folder is configured)
ARGS         ?=#             more arguments for the program of run and bench
ONLY         ?=#             test: run only the test programs whose name contains this
FUZZ_SECONDS ?= 20#          fuzz: seconds for each target
LAB          ?= lab#         where the workspace for the exercises is
CHAPTER      ?=#             grade, catchup, prove: only this chapter, for example 02
EX           ?=#             grade, hint, reset, solution, catchup: this exercise, for example 02-3
APPLY        ?=#             solution: APPLY=1 writes it into the lab
WHOLE        ?=#             reset: WHOLE=1 takes back the exercise's whole file
LIMIT        ?= 10#          grade: seconds that a test program may take
STRICT       ?=#             grade: STRICT=1 fails unless every exercise is ok
TO           ?=#             class-export: the folder for the class's template repository
SMOLLM2  := models/SmolLM2-135M-Instruct.Q4_1.gguf
QUESTION := Which city is the capital of France?
BUILD    := $(strip $(BUILD))
# $(call course,SCRIPT): a script of the exercises, told the lab, the chapter and the exercise.
course    = PYTHONDONTWRITEBYTECODE=1 python3 tests/course/$(1) --lab "$(strip $(LAB))" \
            --chapter "$(strip $(CHAPTER))" --exercise "$(strip $(EX))"

# $(call configure,PRESET,FOLDER[,FLAGS]): once; later changes are noticed by CMake itself.
# $(call build,FOLDER[,TARGETS]): compiles.
configure = test -f $(2)/build.ninja || test -f $(2)/Makefile || \
            common/cmake/setup.sh configure $(1) $(2) -DLLM_WERROR=$(strip $(WERROR)) $(3)
build     = MAKEFLAGS= cmake --build $(1) --parallel $(JOBS) $(if $(2),--target $(2))
run_tests = python3 tests/course/run_tests.py --jobs $(JOBS) $(if $(strip $(ONLY)),--only "$(strip $(ONLY))")

##@ Start here
.PHONY: run test
run: setup ## Build chapter 02 and let the model in this repository tell a story
	@$(call configure,release,$(BUILD))
	@$(call build,$(BUILD),02_naive_loop)
	@echo
	$(BUILD)/bin/02_naive_loop --prompt "Once upon a time" --max-new-tokens 200 $(ARGS)

test: setup ## Build everything and run the unit tests
	@$(call configure,release,$(BUILD))
	@$(call build,$(BUILD))
	@$(run_tests) --build $(BUILD)

##@ More to do
.PHONY: build model bench doctor
build: setup ## Build every program into build/bin
	@$(call configure,release,$(BUILD))
	@$(call build,$(BUILD))

model: setup ## Fetch SmolLM2-135M-Instruct (94 MiB, Apache-2.0) into models/ and ask it a question
	@common/cmake/setup.sh packages model
	@python3 common/cmake/fetch_model.py
	@$(call configure,release,$(BUILD))
	@$(call build,$(BUILD),02_naive_loop)
	@echo
	$(BUILD)/bin/02_naive_loop --model $(SMOLLM2) --chat "$(QUESTION)" --max-new-tokens 24 $(ARGS)

bench: setup ## Measure every stage that is built: tokens per second, memory
	@$(call configure,release,$(BUILD))
	@$(call build,$(BUILD),bench)
	$(BUILD)/bin/bench $(ARGS)

doctor: ## Say what this machine can do, what follows, and what would help
	@if command -v python3 > /dev/null; then python3 tests/course/doctor.py; \
	 else echo "Python 3    missing: the doctor, the test runner and lint need it. Remedy: make setup"; exit 1; fi

##@ Exercises
.PHONY: lab grade hint reset solution catchup class-export
lab: setup ## Write your workspace into lab/, or bring it up to date (your work stays)
	@PYTHONDONTWRITEBYTECODE=1 python3 tests/course/lab.py --lab "$(strip $(LAB))"

grade: ## Build and grade your code: all, or CHAPTER=02, or EX=02-3
	@$(call course,grade.py) --limit "$(strip $(LIMIT))" $(if $(strip $(STRICT)),--strict)

hint: ## Show the next hint: EX=02-3
	@$(call course,lab_commands.py hint)

reset: ## Put an exercise back as it was at first (yours is saved): EX=02-3
	@$(call course,lab_commands.py reset) $(if $(strip $(WHOLE)),--whole)

solution: ## Show the finished code of an exercise: EX=02-3; APPLY=1 writes it into the lab
	@$(call course,lab_commands.py solution) $(if $(strip $(APPLY)),--apply)

catchup: ## Fill in all solutions before CHAPTER=02 or before EX=02-3 (yours are saved)
	@$(call course,lab_commands.py catchup)

class-export: ## Write the lab as a template repository for a class: TO=../class
	@PYTHONDONTWRITEBYTECODE=1 python3 tests/course/class_export.py --to "$(strip $(TO))"

##@ For whoever changes the code
.PHONY: book docs test-all lint format asan fuzz clang-check prove
book: build ## Rewrite what programs and sources put into the texts (ARGS=--refresh: timings too)
	@python3 tests/course/figures.py
	@python3 tests/course/book.py --build $(BUILD) $(ARGS)
	@python3 tests/course/book.py --build $(BUILD) --check

docs: ## Make a web site of the texts in build-docs/site (Zensical, a Python package, is fetched)
	@common/cmake/setup.sh packages python
	@python3 tests/course/book_site.py

test-all: test ## The slow tests too, then lint and the sanitizers
	@$(run_tests) --build $(BUILD) --label slow
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory asan

lint: ## Check layers of includes, sizes, forbidden flags, formatting
	@common/cmake/setup.sh packages python
	@python3 tests/course/lint.py

format: ## Format the C++ sources with clang-format
	@common/cmake/setup.sh packages format
	@python3 tests/course/lint.py --fix-format

prove: setup ## Prove every exercise: stubs, solutions, wrong answers, leaks; CHAPTER=02 limits it
	@python3 tests/course/prove.py --chapter "$(strip $(CHAPTER))"

asan: setup ## Build with AddressSanitizer and UBSan in build-asan, run the tests
	@$(call configure,asan,build-asan)
	@$(call build,build-asan)
	@$(run_tests) --build build-asan

fuzz: ## Feed the file readers random bytes (clang's libFuzzer; FUZZ_SECONDS=20 each)
	@common/cmake/setup.sh packages build fuzz
	@CXX=clang++ && export CXX && $(call configure,fuzz,build-fuzz)
	@$(call build,build-fuzz,fuzzers)
	@python3 tests/course/run_fuzz.py --build build-fuzz --seconds $(strip $(FUZZ_SECONDS))

clang-check: ## See whether clang compiles everything without a warning
	@common/cmake/setup.sh packages build fuzz
	@CXX=clang++ && export CXX && $(call configure,release,build-clang,-DLLM_WERROR=ON)
	@cmake build-clang > build-clang/configure.log || { cat build-clang/configure.log; exit 1; }
	@python3 tests/course/clang_check.py --build build-clang --jobs $(JOBS)

##@ Housekeeping
.PHONY: setup clean help
setup: ## Install the packages that a build needs, if they are missing
	@common/cmake/setup.sh packages build

clean: ## Remove the build folders (models/ and lab/ stay)
	rm -rf build build-asan build-broken build-clang build-cuda build-debug build-docs build-fuzz build-prove

help: ## Show this list
	@awk -v tty="$$([ -t 1 ] && echo 1)" 'BEGIN { FS = ":[^#]*## "; if (tty) { b = "\033[1m"; c = "\033[36m"; r = "\033[0m" } \
	  print b "Next Token" r ": LLM text generation, built from scratch in C++20" } \
	  /^##@ / { print "\n" b substr($$0, 5) r } \
	  /^[a-z-]+:.*## / { printf "  " c "make %-12s" r " %s\n", $$1, $$2 } \
	  END { print "\nSettings, for example  make test ONLY=tokenizer  or  make run CXX=clang++ BUILD=build-clang :"; \
	        print "  BUILD, CXX, JOBS, WERROR, ARGS, ONLY, FUZZ_SECONDS, LAB, LIMIT (the first lines of the Makefile explain them)" }' \
	  $(firstword $(MAKEFILE_LIST))

# make demo    installs what is missing, builds, runs a model of the gallery and shows its result
# make test    installs what is missing, builds, runs all tests
# make help    the rest

PREFIX ?= /usr/local
SECONDS ?= 20
BUILD := build/release

# Folders whose tests `make sanitize-text` runs: what reads texts and makes formulas and code of them.
SANITIZE_TEXT := base sym lang code
space := $() $()

.PHONY: help configure demo test build configure-sanitize sanitize sanitize-text debug fuzz bench bench-peers lint format install clean dependencies test-dependencies

help:
	@echo "make demo      build and run a model of the gallery"
	@echo "make test      build and run all tests"
	@echo "make build     build only; the program is $(BUILD)/app/cli/ananke"
	@echo "make sanitize  all tests under the address and undefined-behaviour sanitizers"
	@echo "make sanitize-text  of these the tests of what reads texts, in 6 minutes of CPU"
	@echo "make fuzz      search for inputs that crash the program, SECONDS=$(SECONDS) for each kind of input"
	@echo "make bench     our times beside hand-written C++ and SUNDIALS; writes docs/benchmarks.md"
	@echo "make bench-peers  our times beside Simbody, MuJoCo and DART, which it installs"
	@echo "make lint      clang-format and clang-tidy"
	@echo "make format    rewrite the sources with clang-format"
	@echo "make install   install the program, the library and its CMake package under PREFIX ($(PREFIX))"
	@echo "make clean     remove build/"

dependencies:
	@scripts/install-dependencies.sh

test-dependencies:
	@scripts/install-dependencies.sh test

configure: dependencies
	@cmake --preset release $(if $(wildcard $(BUILD)/build.ninja),>/dev/null,)

build: configure
	@cmake --build --preset release

demo: configure
	@cmake --build --preset release --target ananke
	@scripts/demo.sh $(BUILD)/app/cli/ananke

test: test-dependencies build
	@ctest --preset release

debug: test-dependencies
	@cmake --preset $@
	@cmake --build --preset $@
	@ctest --preset $@

configure-sanitize: test-dependencies
	@scripts/install-dependencies.sh sanitize
	@cmake --preset sanitize $(if $(wildcard build/sanitize/build.ninja),>/dev/null,)

sanitize: configure-sanitize
	@cmake --build --preset sanitize
	@ctest --preset sanitize

sanitize-text: configure-sanitize
	@cmake --build --preset sanitize --target $(SANITIZE_TEXT:%=test_%)
	@ctest --preset sanitize -R '^($(subst $(space),|,$(SANITIZE_TEXT)))$$'

fuzz:
	@scripts/install-dependencies.sh fuzz
	@cmake --preset fuzz $(if $(wildcard build/fuzz/build.ninja),>/dev/null,)
	@cmake --build --preset fuzz
	@scripts/fuzz.sh build/fuzz $(SECONDS)

bench: dependencies
	@scripts/install-dependencies.sh bench || echo "SUNDIALS could not be installed: its rows are left out"
	@cmake --preset bench
	@cmake --build --preset bench --target ananke_bench ananke_emitter_bench
	@build/bench/bench/ananke_bench
	@build/bench/bench/ananke_emitter_bench

bench-peers: dependencies
	@scripts/bench-peers.sh

lint: build
	@scripts/install-dependencies.sh lint
	@scripts/lint.sh $(BUILD)

format:
	@scripts/install-dependencies.sh lint
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf build

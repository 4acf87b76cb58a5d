# What a newcomer, a contributor and CI run. `make help` lists it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run test check gpu-tests gpu-million tools fuzz miri soak scaling compare compare-worlds compare-tests clean setup release-tests rustdoc \
	package aarch64 asan smoke browser screenshots measure measure-threads measure-auto measure-order measure-first predictable \
	measure-worlds readme-table completions man

FUZZ_SECONDS ?= 60
# Options of `make compare`, for example COMPARE='--n 1M --threads 1'.
COMPARE ?=
# The results that `make readme-table` takes over.
COMPARED ?= out/compare/compare.json
# Options of `make compare-worlds`, for example WORLDS='--n 50k --threads 1'.
WORLDS ?=
# Options of the measure targets, for example MEASURE='--n 100k --stream brownian'.
MEASURE ?=
SOAK_FACTOR ?= 50
JOSTLE = cargo run --quiet --release -p jostle-lab --
# Random tests draw the same cases on every machine and in every run; `make soak` draws others, unless a seed is given.
SEEDED := $(filter-out undefined,$(origin PROPTEST_RNG_SEED))
export PROPTEST_RNG_SEED ?= 1

# nextest runs all tests of all binaries at once; without it cargo's own runner does the same, slower.
TESTS = if command -v cargo-nextest >/dev/null; then cargo nextest run $(1); else \
	echo '*** cargo-nextest is missing: running cargo test instead (`make tools` fetches it)' >&2; cargo test $(2); fi

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## Build jostle, run a world, and see every finder agree on a few scenes (well under a minute)
	cargo build --release -p jostle-lab
	$(JOSTLE) bench --stream all --n 2000 --frames 6 --verify
	$(JOSTLE) bench --stream brownian --n 25k --frames 4 --verify --threads 2
	$(JOSTLE) run

check: setup ## The quick tier, up to 3 minutes: format, lints, all tests, doc tests
	cargo fmt --all --check
	cargo clippy --workspace --exclude jostle-gpu --all-targets -- -D warnings
	@$(call TESTS,--workspace --exclude jostle-gpu,--workspace --exclude jostle-gpu --bins --lib --tests)
	cargo test --workspace --exclude jostle-gpu --doc --quiet

test: check gpu-tests release-tests rustdoc miri asan aarch64 package smoke browser ## Everything CI runs, about 25 minutes on 2 cores from nothing

release-tests: setup ## All tests as users build them, with eight times the random cases
	@export JOSTLE_CASES=8; $(call TESTS,--workspace --exclude jostle-gpu --release,--workspace --exclude jostle-gpu --release --bins --lib --tests)

gpu-tests: setup ## Lints, tests and documentation of all that runs on a GPU, on Mesa's software driver (fetched as root)
	scripts/optional.sh gpu

gpu-million: setup ## Every stream with a million boxes on the GPU (or Mesa's software driver: minutes), against the CPU
	cargo test -p jostle-gpu --test million -- --include-ignored

rustdoc: ## The documentation builds without a warning
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --exclude jostle-gpu --no-deps

miri: ## Undefined behaviour in the small parts (needs nightly Miri)
	scripts/optional.sh miri

asan: ## The vector kernels under the address sanitizer (needs nightly)
	scripts/optional.sh asan

aarch64: ## The code compiles for 64-bit Arm (needs the target)
	scripts/optional.sh aarch64

package: ## The crates can be packaged
	@scripts/package.sh

smoke: ## The command as users run it, on all streams, verified
	$(JOSTLE) bench --stream all --n 1000 --frames 4 --verify --threads 1,2
	$(JOSTLE) bench --stream brownian --n 25k --frames 3 --verify
	$(JOSTLE) run --bodies 2000 --frames 60 --threads 2

browser: ## A report in a real browser: drawn whole, no complaints, nothing fetched (needs Chromium)
	scripts/optional.sh browser

screenshots: ## Pictures of a report in light, dark and print, in out/screenshots (needs Chromium)
	$(JOSTLE) experiment finders --frames 6
	@mkdir -p out/screenshots
	@for look in light dark print; do \
		scripts/screenshot.sh out/experiment/finders/report.html out/screenshots/finders-$$look.png $$look; done

soak: setup ## The random tests with other cases in each run, SOAK_FACTOR=50 times as many where a test does not fix their number
	@$(if $(SEEDED),,unset PROPTEST_RNG_SEED;) export JOSTLE_CASES=$(SOAK_FACTOR) PROPTEST_CASES=$$((256 * $(SOAK_FACTOR))) PROPTEST_MAX_GLOBAL_REJECTS=100000000; \
		$(call TESTS,-p jostle-broad -p jostle --release --no-fail-fast,-p jostle-broad -p jostle --release --no-fail-fast)

fuzz: ## Fuzz the finders for FUZZ_SECONDS=60 seconds (needs nightly and cargo-fuzz)
	scripts/optional.sh fuzz -max_total_time=$(FUZZ_SECONDS)

scaling: ## How time and memory grow: auto from 1 k to 4 M boxes; others from 10 k to 1 M, verified (minutes)
	$(JOSTLE) bench --stream brownian --n 1k,10k,100k,1M,4M --frames 12 --finders auto --scaling
	$(JOSTLE) bench --stream brownian --n 10k,100k,1M --frames 8 --finders sweep,grid,tree,auto --scaling --verify

measure: ## Everything promised about speed, the rivals apart, with verdicts (over half an hour)
	@short=0; for promise in threads auto order first predictable; do \
		$(JOSTLE) measure $$promise $(MEASURE) || short=1; done; \
	$(MAKE) measure-worlds || short=1; exit $$short

measure-threads: ## What threads gain beside what a plain loop gains; never slower
	$(JOSTLE) measure threads $(MEASURE)

measure-auto: ## auto against the best single finder over 200 frames; its trials and switches
	$(JOSTLE) measure auto $(MEASURE)

measure-order: ## What canonical order costs where everything moves
	$(JOSTLE) measure order $(MEASURE)

measure-first: ## The first frame against a frame of the stream fast
	$(JOSTLE) measure first $(MEASURE)

predictable: ## How much frames of steady streams differ, by instructions (needs valgrind)
	$(JOSTLE) measure predictable $(MEASURE)

measure-worlds: ## Whole frames of worlds: threads, growth from 1 k to 200 k bodies, sleep
	@short=0; for promise in world-threads world-growth world-sleep; do \
		$(JOSTLE) measure $$promise || short=1; done; exit $$short

completions: ## Shell completions of `jostle` for bash, zsh, fish, elvish and PowerShell, in out/completions
	mkdir -p out/completions
	$(JOSTLE) completions bash >out/completions/jostle.bash
	$(JOSTLE) completions zsh >out/completions/_jostle
	$(JOSTLE) completions fish >out/completions/jostle.fish
	$(JOSTLE) completions elvish >out/completions/jostle.elv
	$(JOSTLE) completions powershell >out/completions/_jostle.ps1

man: ## Manual pages of `jostle` and all its commands, in out/man (look with man -l out/man/jostle.1)
	$(JOSTLE) man out/man

compare: setup ## jostle beside the broad phases of other engines (COMPARE='--quick' for a look)
	@scripts/compare.sh $(COMPARE)

compare-worlds: setup ## Whole worlds of other engines on the same bodies (WORLDS='--n 1k' for a look)
	@scripts/compare.sh worlds $(WORLDS)

readme-table: ## The newest result of make compare (or those in COMPARED='A.json B.json') goes into docs/measured and the README
	@rm -rf out/measured && mkdir -p out/measured docs/measured
	@number=1; for file in $(COMPARED); do cp "$$file" out/measured/compare-$$number.json; number=$$((number + 1)); done
	$(JOSTLE) compared out/measured/compare-*.json --into README.md
	@rm -f docs/measured/compare-*.json && mv out/measured/compare-*.json docs/measured/

compare-tests: ## Lints and tests of the rivals that need nothing but Rust
	cd rivals && cargo fmt --check && cargo clippy --all-targets -- -D warnings && cargo test --release --quiet

setup:
	@scripts/setup.sh

tools: ## Fetch cargo-nextest, Miri, the aarch64 target, cargo-fuzz and Chromium; say what could not be had
	@scripts/tools.sh

clean: ## Remove everything that was built
	cargo clean
	rm -rf out fuzz/target fuzz/corpus fuzz/artifacts rivals/target

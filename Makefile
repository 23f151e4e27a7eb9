# Two commands: `make up` gives a platform with a working cluster, `make test` runs every test.
# Everything here works on a Debian machine that has only Rust and Go.

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Where binaries are gathered: beside one another, as an installation has them.
BIN ?= $(CURDIR)/bin
PREFIX ?= /usr/local
DESTDIR ?=
VERSION ?= v1.36

export PLASMACLOUD_CACHE_DIR ?= /var/cache/plasmacloud
export PLASMACLOUD_STATE_DIR ?= /var/lib/plasmacloud

help: ## say what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

tools: ## install the Debian packages that are missing
	@scripts/tools

build: tools ## build the binaries into bin/
	@scripts/build release "$(BIN)"

bundle: build ## make or find the Kubernetes bundle
	@"$(BIN)/cloud" bundle build $(VERSION)

up: bundle ## start the platform and bring up the cluster "demo"
	@scripts/up "$(BIN)"

down: ## remove every trace of the platform but the cache of bundles
	@scripts/down "$(BIN)"

purge: down ## remove the cache of bundles too
	@scripts/purge

test: ## run every test, those on real Kubernetes included
	@scripts/test

lint: ## formatting and clippy
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

deny: ## licences, advisories and bans of the dependency tree (installs cargo-deny when missing)
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny check bans licenses sources
	@if cargo deny fetch db 2>/dev/null; then cargo deny check advisories; \
	else echo "advisories were not checked: their database cannot be reached from here"; fi

test-host: bundle ## the installed platform on Debian 13 with systemd and cgroup v2, in a virtual machine
	@scripts/test-host "$(BIN)"

chaos: tools ## kill the platform at every point of creating and deleting a cluster, and while its authorities are replaced
	@scripts/chaos

conformance: build ## run upstream's own conformance tests on a cluster, or those that match FOCUS="..."
	@scripts/conformance "$(BIN)"

fuzz: ## feed everything that reads what strangers send, the API too, with bent and random input; CASES says how many
	@scripts/fuzz

bench: build ## print the figures of docs/results/bench.md
	@scripts/bench "$(BIN)"

install: build ## put binaries, units, completion and manual pages under PREFIX
	@scripts/install "$(BIN)" "$(DESTDIR)" "$(PREFIX)"

.PHONY: help tools build bundle up down purge test lint deny test-host chaos conformance bench install fuzz

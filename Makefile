# pravo. `make demo` shows it at work, `make test` tests it; both do all set-up that a bare Debian machine needs.

SHELL := /bin/bash
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)
TARGET_DIR := $(abspath $(or $(CARGO_TARGET_DIR),target))
# In front of every command: set-up, and what it says about the environment.
ENVIRONMENT = environment="$$(.ci/setup)" && eval "$$environment" &&

.PHONY: help demo test build lint clean

help:
	@echo "make demo   a real init, plan and apply in a scratch directory"
	@echo "make test   all tests"
	@echo "make build  the binary, optimised: $(TARGET_DIR)/release/pravo"
	@echo "make lint   formatting and clippy"

demo:
	@$(ENVIRONMENT) cargo build --locked --package pravo && .ci/demo "$(TARGET_DIR)/debug/pravo"

test:
	@$(ENVIRONMENT) cargo test --locked --workspace

build:
	@$(ENVIRONMENT) cargo build --locked --release --package pravo

lint:
	@$(ENVIRONMENT) cargo fmt --all --check && cargo clippy --locked --workspace --all-targets -- -D warnings

clean:
	rm -rf "$(TARGET_DIR)"

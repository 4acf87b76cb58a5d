#!/usr/bin/env bash
# Makes a machine ready for `make run` and `make test`: a C linker. Needs Rust (https://rustup.rs).
# What cannot be had is said loudly and named; the script fails only where nothing could be built without it.
set -euo pipefail

loud() { printf '\n*** %s\n\n' "$*" >&2; }

if ! command -v cargo >/dev/null; then
    loud "MISSING: cargo. Install Rust 1.95 or newer from https://rustup.rs, then run this again."
    exit 1
fi

if ! command -v cc >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev \
            || { loud "MISSING: cc, the linker; apt-get could not install gcc and libc6-dev."; exit 1; }
    else
        loud "MISSING: cc, the linker. As root: apt-get install gcc libc6-dev (or what your system calls them)."
        exit 1
    fi
fi

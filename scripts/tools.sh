#!/usr/bin/env bash
# Fetches the tools of the longer checks: cargo-nextest, Miri, the aarch64 target,
# cargo-fuzz, Chromium. Says what could not be had; never fails.
set -uo pipefail

missing=()
try() {
    local what=$1
    shift
    "$@" || missing+=("$what")
}

if command -v rustup >/dev/null; then
    try "a nightly compiler" rustup toolchain install nightly --profile minimal --no-self-update
    try "Miri" rustup component add miri rust-src --toolchain nightly
    try "the target aarch64-unknown-linux-gnu" rustup target add aarch64-unknown-linux-gnu
else
    missing+=("rustup, and with it Miri and the target aarch64-unknown-linux-gnu")
fi
command -v cargo-nextest >/dev/null || try "cargo-nextest" cargo install cargo-nextest --locked
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        try "Chromium" apt-get install --yes --no-install-recommends chromium
    else
        missing+=("Chromium: as root, apt-get install chromium (or what your system calls it)")
    fi
fi
command -v cargo-fuzz >/dev/null || try "cargo-fuzz" cargo install cargo-fuzz --locked

for what in "${missing[@]}"; do
    printf '*** could not be had: %s\n' "$what" >&2
done
exit 0

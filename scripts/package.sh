#!/usr/bin/env bash
# The crates can be packaged, and what is in the packages builds.
#
# `cargo package` verifies workspace members that need each other through a registry of its own, whose unpacked sources it
# keeps under the version number in cargo's home: the next run of the same version then builds against old sources
# (seen with cargo 1.95). So the packages are unpacked and built here instead.
set -euo pipefail
cd "$(dirname "$0")/.."

packed=target/package
check=$packed/check
rm -rf "$packed"
cargo package --workspace --exclude my-finder --allow-dirty --no-verify
mkdir -p "$check"
for crate in "$packed"/*.crate; do
    tar -x -m -z -f "$crate" -C "$check"
done
{
    printf '[workspace]\nresolver = "3"\nmembers = ["*-[0-9]*"]\n\n[patch.crates-io]\n'
    for folder in "$check"/*/; do
        name=$(basename "$folder")
        printf '%s = { path = "%s" }\n' "${name%-[0-9]*}" "$name"
    done
} >"$check/Cargo.toml"
cp Cargo.lock "$check/Cargo.lock"
cd "$check"
CARGO_TARGET_DIR=../../packaged cargo check --workspace --exclude jostle-gpu

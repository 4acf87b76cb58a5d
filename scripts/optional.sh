#!/usr/bin/env bash
# Runs a check that needs a tool, or says loudly that it is skipped and how to get the tool.
# Usage: optional.sh miri|asan|aarch64|browser|gpu|fuzz [arguments of the fuzzer]
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    printf '\n*** SKIPPED %s: %s is missing; `make tools` fetches it\n\n' "$1" "$2" >&2
    exit 0
}

check=$1
shift
case $check in
miri)
    cargo +nightly miri --version >/dev/null 2>&1 || skip "the Miri check" "Miri on the nightly toolchain"
    # Miri is some thousand times slower than the machine, so that it gets the folder with `unsafe` in it (scalar kernels,
    # small scenes) and the parts that feed it; random tests are left to the machine.
    cargo +nightly miri test -p jostle-broad --lib -- aabb:: boxes:: simd::
    exec cargo +nightly miri test -p jostle --lib -- simd::tests
    ;;
asan)
    target=x86_64-unknown-linux-gnu
    [ "$(uname -m)" = x86_64 ] || skip "the address sanitizer" "a 64-bit x86 machine"
    cargo +nightly --version >/dev/null 2>&1 || skip "the address sanitizer" "the nightly toolchain"
    # A target folder of its own: the flags would otherwise throw away what is built there.
    export RUSTFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
    cargo +nightly test -p jostle-broad --target $target --lib -- simd::
    cargo +nightly test -p jostle-broad --target $target --test sweep_scenes --test sap_methods
    exec cargo +nightly test -p jostle --target $target --lib -- simd:: narrow::
    ;;
aarch64)
    target=aarch64-unknown-linux-gnu
    rustc --print target-libdir --target $target 2>/dev/null | xargs -r test -d 2>/dev/null \
        || skip "the aarch64 check" "the target $target"
    exec cargo check -p jostle-broad -p jostle -p jostle-lab --target $target
    ;;
browser)
    command -v chromium || command -v chromium-browser || command -v google-chrome \
        || skip "the test of reports in a browser" "Chromium"
    exec cargo test -p jostle-lab --test browser -- --ignored
    ;;
gpu)
    drivers() { compgen -G '/usr/share/vulkan/icd.d/*.json' >/dev/null || [ -n "${VK_DRIVER_FILES:-}" ]; }
    if ! drivers && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update --quiet && apt-get install --yes --no-install-recommends mesa-vulkan-drivers libvulkan1; } || true
    fi
    if ! drivers; then
        printf '\n*** SKIPPED the GPU tests: no Vulkan driver; as root: apt-get install mesa-vulkan-drivers libvulkan1\n\n' >&2
        exit 0
    fi
    # Mesa complains on standard error where there is no such folder.
    export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-${TMPDIR:-/tmp}}"
    cargo clippy -p jostle-gpu -p jostle-lab --features jostle-lab/gpu --all-targets -- -D warnings
    cargo test -p jostle-gpu --lib --tests
    cargo test -p jostle-lab --features gpu --lib -- gpu
    cargo test -p jostle-lab --features gpu --test gpu_command
    cargo test -p jostle-gpu --doc --quiet
    RUSTDOCFLAGS='-D warnings' exec cargo doc -p jostle-gpu --no-deps
    ;;
fuzz)
    command -v cargo-fuzz >/dev/null || skip "the fuzzer" "cargo-fuzz"
    cargo +nightly --version >/dev/null 2>&1 || skip "the fuzzer" "the nightly toolchain"
    cd fuzz
    unset CARGO_TARGET_DIR
    exec cargo +nightly fuzz run operations -- "$@"
    ;;
*)
    echo "usage: $0 miri|asan|aarch64|browser|gpu|fuzz" >&2
    exit 2
    ;;
esac

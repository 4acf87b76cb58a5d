#!/usr/bin/env bash
# Builds the rivals that can be had on this machine and runs `compare` with the given options.
# What a rival needs is installed where that is permitted (root and apt-get); otherwise it is left out, loudly.
set -euo pipefail
cd "$(dirname "$0")/.."

loud() { printf '\n*** %s\n\n' "$*" >&2; }

# have COMMAND_OR_FILE PACKAGE: is it there, or can it be installed?
have() {
    command -v "$1" >/dev/null || [ -e "$1" ] && return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        apt-get install --yes --no-install-recommends "$2" >/dev/null 2>&1 || apt-get update >/dev/null 2>&1
        apt-get install --yes --no-install-recommends "$2" >/dev/null 2>&1 || true
    fi
    command -v "$1" >/dev/null || [ -e "$1" ]
}

features=()
want() { # want FEATURE NAME, then pairs of what must be there and the package that has it
    local feature=$1 name=$2
    shift 2
    while [ $# -gt 0 ]; do
        if ! have "$1" "$2"; then
            loud "SKIPPED: $name, which needs the package $2. As root: apt-get install $2"
            return
        fi
        shift 2
    done
    features+=("$feature")
}

libclang=$(find /usr/lib -name 'libclang*.so*' ! -name 'libclang-cpp*' -print -quit 2>/dev/null || true)
if [ "${1-}" = worlds ]; then
    features+=(jostle-world)
else # of Bullet, PhysX and Jolt only the broad phases take part
    want bullet Bullet g++ g++ /usr/include/bullet/btBulletCollisionCommon.h libbullet-dev
    want physx PhysX clang++ clang
    want jolt Jolt c++ g++ cmake cmake "${libclang:-/usr/lib/llvm-14/lib/libclang.so}" libclang-dev
    # Our own finders on a GPU, where the options ask for one: they take minutes to build.
    [[ " $* " != *gpu* && " $* " != *" --adapter"* ]] || features+=(gpu)
fi
want box3d Box3D cc gcc cmake cmake "${libclang:-/usr/lib/llvm-14/lib/libclang.so}" libclang-dev

build() { cargo build --release --manifest-path rivals/Cargo.toml --features "$*"; }

if ! build "${features[@]-}"; then
    # One of them does not build here: find out which, and go on with the others.
    built=()
    for feature in "${features[@]-}"; do
        if build "${built[@]-}" "$feature"; then
            built+=("$feature")
        else
            loud "SKIPPED: $feature did not build; see above."
        fi
    done
    build "${built[@]-}"
fi
binary=${CARGO_TARGET_DIR:-rivals/target}/release/compare
exec "$binary" "$@"

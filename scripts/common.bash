# Functions that the scripts share. Sourced, not run.
# shellcheck shell=bash

self=$(realpath -- "$0")
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # The scripts use it.
target=${CARGO_TARGET_DIR:-$root/target}

say() {
    printf '%s\n' "$*"
}

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 2
}

# The usage from the script's first comment: its lines from "usage:" to the end of the paragraph.
usage() {
    sed -n '/^# usage: /,/^\(#$\|[^#]\)/ { s/^# //p; t; q }' "$self"
}

# Reports an error in the arguments and prints the usage.
misuse() {
    fail "$*
$(usage)"
}

# Rejects arguments that remain after all known ones.
no_more() {
    [[ $# -eq 0 ]] || misuse "unknown argument '$1'"
}

# Prints a command as one would type it, then runs it.
run() {
    printf '\n$ %s\n' "${*@Q}" | sed "s/'\([A-Za-z0-9_.,:=+/@%-]*\)'/\1/g"
    "$@"
}

# The oldest Rust that builds the crates.
oldest_rust() {
    sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml"
}

# Finds cargo and a linker, or prints how to install them.
need_rust() {
    local wanted found
    if ! command -v cargo >/dev/null && [[ -x $HOME/.cargo/bin/cargo ]]; then
        PATH=$HOME/.cargo/bin:$PATH
    fi
    wanted=$(oldest_rust)
    command -v cargo >/dev/null || fail "Rust $wanted or newer is missing. Install it with rustup:
    curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh
and run this script again in a new shell."
    found=$(rustc --version | cut -d ' ' -f 2)
    [[ $(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1) == "$wanted" ]] ||
        fail "Rust $found is older than $wanted. Get a newer one with: rustup update stable"
    command -v "${CC:-cc}" >/dev/null || fail "Rust needs a linker. Install it with: sudo apt-get install gcc libc6-dev"
}

# Fails with the command that installs a program, if it is missing. Only scripts/setup installs anything.
# usage: need_package PROGRAM PACKAGE...
need_package() {
    command -v "$1" >/dev/null || {
        say "$1 is missing. Install it with: sudo apt-get install ${*:2}" >&2
        return 1
    }
}

# Lets cargo build with a sanitizer, in a folder that the scripts share: the new `target`. The options for cargo
# are then in `sanitized`.
# usage: use_sanitizer address|thread
use_sanitizer() {
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    target=$target/sanitize/$1
    # Sanitizers are a feature of nightly compilers, which RUSTC_BOOTSTRAP enables in the stable one.
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=$1" CARGO_TARGET_DIR=$target
    # Building optimised dependencies with full debugging information would take far longer than the tests.
    export CARGO_PROFILE_DEV_DEBUG=line-tables-only CARGO_INCREMENTAL=0
    # Except for the hash of the whole program, for which a mount waits before it keeps sizes.
    # shellcheck disable=SC2034 # The scripts use it.
    sanitized=(--locked --config 'profile.dev.package."*".opt-level=0'
        --config 'profile.dev.package.xxhash-rust.opt-level=3' --target "$host")
    target=$target/$host
}

# Puts what scripts/setup installs in the target folder in the PATH, and where Debian has chess programs and servers.
use_test_tools() {
    PATH=$target/python/bin:$target/tools/bin:$PATH:/usr/games:/usr/sbin
    export PATH NODE_PATH=$target/node/node_modules
}

# The tools of cargo that scripts use, each with its version.
declare -A cargo_tools=([deb]=3.8.0 [deny]=0.20.2 [mutants]=27.1.0 [nextest]=0.9.143)

# Fails with the command that installs a tool of cargo, if it is missing.
# usage: need_cargo_tool deb
need_cargo_tool() {
    PATH=$target/tools/bin:$PATH
    cargo "$1" --version >/dev/null 2>&1 || {
        say "cargo-$1 is missing. Install it with: cargo install --locked cargo-$1@${cargo_tools[$1]}" >&2
        return 1
    }
}

# Puts zig in the PATH, which links for other systems, and what builds with it; installs them below the target folder.
use_zig() {
    local tools=$target/zig
    if [[ ! -x $tools/bin/twine ]]; then
        python3 -m venv "$tools" || fail "install the package python3-venv"
        "$tools/bin/pip" install --quiet --disable-pip-version-check \
            cargo-zigbuild==0.24.1 maturin==1.16.0 twine==7.0.0 ziglang==0.17.1 ||
            fail "zig is missing. Install it with: pip install cargo-zigbuild ziglang"
    fi
    PATH=$tools/bin:$PATH
}

# Installs the standard library for a target.
# usage: need_target TRIPLE
need_target() {
    [[ -d $(rustc --print target-libdir --target "$1") ]] || rustup target add "$1" >&2 ||
        fail "the standard library for $1 is missing. Install it with: rustup target add $1"
}

# Scripts that source this file use these variables.
for argument; do
    if [[ $argument == --help || $argument == -h ]]; then
        usage
        exit 0
    fi
done
unset argument

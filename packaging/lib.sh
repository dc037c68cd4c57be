# Functions that the scripts in this folder share; source this file.

shopt -s inherit_errexit

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$(basename "$0"): $*"
    exit 1
}

# The help text: the comment at the head of the running script.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# The value that follows option $1.
value() {
    if [ $# -lt 2 ]; then
        say "$(basename "$0"): $1 needs a value"
        exit 2
    fi
    printf '%s' "$2"
}

# The toolchain's version, as "6.0.3"; empty when there is none.
swift_version() { swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p'; }

# Whether version $1 is at least $2.
at_least() { printf '%s\n' "$2" "$1" | sort -V -C; }

# The linker options for a static libstdc++; the shared one takes a MiB of memory. A folder in $1 makes the linker find
# the archive first. $2 is the folder of another compiler than this machine's, if given.
link_cxx_inside() {
    local archive
    archive=$({ find "${2:-/usr/lib/gcc}" -maxdepth 3 -name libstdc++.a || true; } 2>/dev/null |
        sort -V | tail -n 1)
    [ -n "$archive" ] || return 0
    mkdir -p "$1/inside"
    ln -sf "$archive" "$1/inside"
    printf '%s\n' -Xlinker "-L$(realpath "$1/inside")"
}

# Builds programs "$@" with the options of a release: optimised, with a static Swift library; $bin is their folder. All
# scripts share one tree and one set of flags, since other flags would rebuild everything. With $SIGHTLINE_BIN, the programs
# in that folder are taken instead: packaging/test has built them.
build_release() {
    if [ -n "${SIGHTLINE_BIN:-}" ]; then
        bin=$SIGHTLINE_BIN
        return
    fi
    local product library build=(swift build -c release)
    library=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    [ ! -d "${library}_static" ] || build+=(--static-swift-stdlib)
    build+=($(link_cxx_inside .build))
    # Without a terminal: the compiler's colours would be another flag.
    for product; do "${build[@]}" --product "$product" 2>&1 | cat >&2; done
    bin=$("${build[@]}" --show-bin-path)
}

# The commit of the working tree, with "-changed" if files differ; "unknown" without git.
commit() {
    local name
    name=$(cd "$root" && git -c safe.directory="*" rev-parse --short=12 HEAD 2>/dev/null) || { echo unknown; return; }
    git -c safe.directory="*" -C "$root" diff --quiet HEAD 2>/dev/null || name+=-changed
    echo "$name"
}

# Copies the files that git tracks, as they are in the working tree, to folder $1. Untracked files can be secrets.
copy_tracked() {
    (cd "$root" && git -c safe.directory="*" ls-files -z |
        tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null) | tar -xf - -C "$1"
}

# Runs a command as root, through sudo if necessary.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "needs root or sudo for: $*"
    fi
}

# Ends processes with SIGTERM, and with SIGKILL after five seconds.
end() {
    local pid tries=50
    kill "$@" 2>/dev/null || true
    for pid in "$@"; do
        while kill -0 "$pid" 2>/dev/null && [ $((tries--)) -gt 0 ]; do sleep 0.1; done
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
}

# What the scripts in this folder share; to be sourced.

shopt -s inherit_errexit

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$(basename "$0"): $*"
    exit 1
}

# The comment at the head of the running script, without its marks: the help text.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# The value that follows option $1.
value() {
    if [ $# -lt 2 ]; then
        say "$(basename "$0"): $1 wants a value"
        exit 2
    fi
    printf '%s' "$2"
}

# The toolchain's version, as "6.0.3"; empty when there is none.
swift_version() { swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9.]*\).*/\1/p'; }

# Whether version $1 is at least $2.
at_least() { printf '%s\n' "$2" "$1" | sort -V -C; }

# Runs a command as root, through sudo where it must.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "needs root for: $* (and there is no sudo here)"
    fi
}

# Ends the given processes: asks first, and insists on whoever is still there after five seconds.
end() {
    local pid tries=50
    kill "$@" 2>/dev/null || true
    for pid in "$@"; do
        while kill -0 "$pid" 2>/dev/null && [ $((tries--)) -gt 0 ]; do sleep 0.1; done
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
}

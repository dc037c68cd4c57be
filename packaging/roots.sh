# Debian roots of any architecture, created by debootstrap and kept for the next run. Source this file, as root,
# after lib.sh. A command in a root has its own mounts and processes, which end with it.

release=trixie
# The Debian archive, and its security updates.
mirror=${SIGHTLINE_MIRROR:-http://deb.debian.org/debian}
security=${SIGHTLINE_SECURITY_MIRROR:-${mirror%/}-security}
# The folder of roots and downloaded packages; safe to remove.
kept=${SIGHTLINE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/sightline-roots}

# Runs the calling script again as root, since only root can create a Debian root. Call it first.
need_root() {
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || fail "needs root, or sudo"
    [ "$(id -u)" = 0 ] || exec sudo HOME="$HOME" XDG_CACHE_HOME="${XDG_CACHE_HOME:-}" \
        SIGHTLINE_ROOTS="${SIGHTLINE_ROOTS:-}" SIGHTLINE_MIRROR="${SIGHTLINE_MIRROR:-}" \
        SIGHTLINE_SECURITY_MIRROR="${SIGHTLINE_SECURITY_MIRROR:-}" "$0" "$@"
}

native() { dpkg --print-architecture; }

# The size of the roots of one architecture, in KiB, with compiled files.
room=6000000

# Prints the reason why this machine cannot create a root; prints nothing if it can.
machine_fault() {
    if ! as_root unshare --mount --pid --fork true 2>/dev/null; then
        echo "root may not create mount and process namespaces here (unshare)"
    elif [ ! -e "$kept/$release-$(native)-build.packages" ]; then
        mkdir -p "$kept"
        [ "$(df --output=avail -k "$kept" | tail -n 1)" -ge $room ] ||
            echo "$kept has less than $((room / 1000000)) GB free, the size of a Debian with Swift"
    fi
}

# Prints the reason why programs of architecture $1 cannot run here; prints nothing if they can.
foreign_fault() {
    [ "$1" != "$(native)" ] || return 0
    [ -e /proc/sys/fs/binfmt_misc/status ] || mount -t binfmt_misc binfmt_misc \
        /proc/sys/fs/binfmt_misc 2>/dev/null || true
    case $1 in arm64) set -- aarch64 ;; amd64) set -- x86_64 ;; esac
    if [ ! -e /proc/sys/fs/binfmt_misc/qemu-"$1" ]; then
        update-binfmts --enable qemu-"$1" >/dev/null 2>&1 || true
    fi
    [ -e /proc/sys/fs/binfmt_misc/qemu-"$1" ] ||
        echo "this kernel does not start QEMU for $1 programs (no binfmt_misc/qemu-$1)"
}

# Lets the kernel apply owner, mode and capabilities of $1's programs (sudo's are root's), which Debian's entry for QEMU
# leaves out. The entry stays until drop_credentials, for all programs of this machine.
credentials=
keep_credentials() {
    local place=/proc/sys/fs/binfmt_misc entry
    [ "$1" != "$(native)" ] || return 0
    case $1 in arm64) entry=$place/qemu-aarch64 ;; amd64) entry=$place/qemu-x86_64 ;; esac
    # The latest entry decides. P, C and F: QEMU gets the name of the program, its rights, and works in any root.
    awk -v name="sightline-$$" '
        function escaped(hex) { gsub(/../, "\\\\x&", hex); return hex }
        { value[$1] = $2 }
        END { print ":" name ":M:" value["offset"] ":" escaped(value["magic"]) ":" escaped(value["mask"]) ":" \
            value["interpreter"] ":PCF" }' "$entry" >"$place/register"
    credentials=$place/sightline-$$
}
drop_credentials() { [ -z "$credentials" ] || echo -1 >"$credentials"; credentials=; }

# Folders to mount in a root, each as SOURCE:PLACE.
binds=()

# Runs a command in root $1. Its mounts and processes end with it.
in_root() {
    local place=$1; shift
    mkdir -p "$kept/archives"
    unshare --mount --propagation private --pid --fork --kill-child -- bash -c '
        set -e
        place=$1 count=$2; shift 2
        mount -t proc proc "$place/proc"
        mount --rbind /dev "$place/dev"
        mount -t tmpfs tmpfs "$place/run"
        for ((; count > 0; count--)); do
            mkdir -p "$place${1#*:}"
            mount --bind "${1%%:*}" "$place${1#*:}"
            shift
        done
        exec chroot "$place" env -i HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
        in_root "$place" $((${#binds[@]} + 1)) "$kept/archives:/var/cache/apt/archives" \
        "${binds[@]}" "$@"
}

# Runs apt-get in root $1. One at a time, since the roots share the downloads; apt does not wait for another.
apt_in() {
    local place=$1; shift
    mkdir -p "$kept/archives"
    { flock 8 && in_root "$place" apt-get -q -y "$@"; } 8<"$kept/archives"
}

# Installs packages "${@:2}" in root $1, from earlier downloads if possible.
install_in() {
    local place=$1; shift
    apt_in "$place" install --no-install-recommends "$@" || {
        apt_in "$place" update
        apt_in "$place" install --no-install-recommends "$@"
    }
}

# Updates root $1 once a week. A root stays as it is if the archive can't be reached.
refresh_root() {
    [ -n "$(find "$1.packages" -mtime +6)" ] || return 0
    if update_root "$1"; then
        touch "$1.packages"
    else
        say "the Debian archive can't be reached: $1 is of $(date -r "$1.packages" +%F)"
    fi
}

update_root() {
    apt_in "$1" update -o APT::Update::Error-Mode=any >&2 && apt_in "$1" upgrade >&2
}

# Creates root $1 of architecture $2, a fresh installation with packages "${@:3}", unless it exists with exactly
# these; sets $made to its path.
make_root() {
    local name=$1 architecture=$2 part other; shift 2
    made=$kept/$release-$architecture-$name
    if grep -qsx "with security updates: $*" "$made.packages"; then
        refresh_root "$made"
        return
    fi
    part=$made.part
    rm -rf --one-file-system "$made" "$made.packages" "$part"
    mkdir -p "$kept"
    if [ "$name" = base ]; then
        say "creating a Debian root for $architecture in $made: takes minutes"
        debootstrap --force-check-gpg --arch="$architecture" --variant=minbase --include=ca-certificates \
            "$release" "$part" "$mirror" >&2
        printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates" "$security" "$release-security" \
            >"$part/etc/apt/sources.list"
        echo 'Acquire::Languages "none";' >"$part/etc/apt/apt.conf.d/languages"
        printf '#!/bin/sh\nexit 101\n' >"$part/usr/sbin/policy-rc.d"
        chmod +x "$part/usr/sbin/policy-rc.d"
    else
        local target=$made
        make_root base "$architecture" "${base[@]}"
        copy_root "$made" "$part"
        made=$target
        say "adding packages to a copy, in $made: $*"
        for other in amd64 arm64; do
            [[ " $* " != *":$other "* ]] || in_root "$part" dpkg --add-architecture "$other"
        done
    fi
    cp /etc/resolv.conf "$part/etc/resolv.conf"
    [ "$name" != base ] || update_root "$part" || fail "the Debian archive can't be reached"
    [ $# = 0 ] || install_in "$part" "$@" >&2
    mv "$part" "$made"
    echo "with security updates: $*" >"$made.packages"
}

# Packages of every Debian or Raspberry Pi OS that debootstrap's minimum lacks.
base=(systemd-sysv dbus)

copy_root() { cp -a --reflink=auto "$1" "$2"; }

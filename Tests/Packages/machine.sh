# Runs a root as a machine: with its own processes, mounts and network, and, if possible, systemd as its first
# process. Source this file, as root, after roots.sh.

machine='' group=''

# Starts the machine with file system $1. With "init" as $2, its first process is systemd. With "shared" as $3,
# it shares this machine's network.
begin_machine() {
    local starter tries
    # systemd needs a control group without other processes.
    group=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
    group=${group:+$group/sightline-$$}
    [ -z "$group" ] || mkdir -p "$group"
    local network=(--net)
    [ "${3:-}" != shared ] || network=()
    unshare --mount --propagation private --pid --fork --kill-child --uts --ipc "${network[@]}" -- \
        "${BASH_SOURCE[0]%/*}/enter-machine" "$1" "${2:-}" "$group" >"$work/console" 2>&1 </dev/null &
    starter=$!
    for ((tries = 100; tries > 0; tries--)); do
        machine=$(cat "/proc/$starter/task/$starter/children" 2>/dev/null | tr -d ' ') || true
        [ -z "$machine" ] || [ ! -e "$1/.begun" ] || return 0
        sleep 0.1
    done
    fail "the machine in $1 did not start: $(cat "$work/console")"
}

# Runs a command in the machine.
on_machine() {
    nsenter --target "$machine" --mount --pid --uts --ipc --net --cgroup --root -- \
        env -i -C /root HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# Waits up to $1 seconds for a command to succeed.
within() {
    local end=$((SECONDS + $1)); shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { say "timeout: $*"; return 1; }
        sleep 0.5
    done
}

# Prints property $1 of the service; needs systemd.
property() { on_machine systemctl show -P "$1" sightline-agent; }

# Whether the service's status line begins with $1.
status_begins() { [[ $(property StatusText) == "$1"* ]]; }

# Ends the machine and all its processes.
end_machine() {
    [ -z "$machine" ] || kill -KILL "$machine" 2>/dev/null || true
    machine=
    wait
    [ -z "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    group=
}

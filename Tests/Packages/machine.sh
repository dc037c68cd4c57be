# A machine made of a root: processes, mounts and a network of its own, and, where it can be, systemd
# as its first process; to be sourced, by root, after roots.sh.

machine='' group=''

# Begins the machine whose file system is folder $1; with "init" as $2, systemd starts it. It has a network
# of its own, but with "shared" as $3.
begin_machine() {
    local starter tries
    # systemd wants a control group of its own, which nothing else of this machine is in.
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
    fail "the machine in $1 did not begin: $(cat "$work/console")"
}

# Runs a command in it.
on_machine() {
    nsenter --target "$machine" --mount --pid --uts --ipc --net --cgroup --root -- \
        env -i -C /root HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# Waits up to $1 seconds for a command to succeed.
within() {
    local end=$((SECONDS + $1)); shift
    until "$@"; do
        [ $SECONDS -lt $end ] || { say "in vain: $*"; return 1; }
        sleep 0.5
    done
}

# Property $1 of the service, where systemd runs it.
property() { on_machine systemctl show -P "$1" sightline-agent; }

# Whether the service's status line begins so.
status_begins() { [[ $(property StatusText) == "$1"* ]]; }

# Ends it, with all that runs in it.
end_machine() {
    [ -z "$machine" ] || kill -KILL "$machine" 2>/dev/null || true
    machine=
    wait
    [ -z "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    group=
}

# A virtual radio for an agent in a root or machine. Source this file after lib.sh.

# Starts the program $1 as the radio of the gateway entry-1, behind the socket $2, which all users may use. Its process
# is $radio_process; its output goes to the file $3.
start_radio() {
    local tries
    "$1" --scenario "$root/config/scenarios/queue.json" --gateway entry-1 --listen "unix:$2" </dev/null >"$3" 2>&1 &
    radio_process=$!
    # A machine's end waits for its own processes only.
    disown "$radio_process"
    for ((tries = 100; tries > 0; tries--)); do
        [ ! -S "$2" ] || { chmod 666 "$2"; return 0; }
        sleep 0.1
    done
    fail "the virtual radio does not listen: $(cat "$3")"
}

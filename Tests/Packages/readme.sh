# Types the console blocks of README in a machine, as readers do: "reader" on an own machine, "pi" on a gateway, and root on
# the broker. All are on the same machine here. Source this file after machine.sh.

# Run in the machine's root before it starts: users with sudo and SSH, an editor, a certificate of the web server. apt asks
# no questions.
prepare_readers='
    for user in reader pi; do
        useradd --create-home --shell /bin/bash "$user"
        echo "$user ALL=(ALL) NOPASSWD: ALL" >"/etc/sudoers.d/$user"
    done
    install -d -o reader -g reader -m 700 /home/reader/.ssh
    install -d -o pi -g pi -m 700 /home/pi/.ssh
    runuser -u reader -- ssh-keygen -q -t ed25519 -N "" -f /home/reader/.ssh/id_ed25519
    install -o pi -g pi -m 600 /home/reader/.ssh/id_ed25519.pub /home/pi/.ssh/authorized_keys
    echo "StrictHostKeyChecking accept-new" >/etc/ssh/ssh_config.d/new.conf
    printf "#!/bin/sh\ncp /root/edited \"\$1\"\n" >/usr/local/bin/editor
    chmod +x /usr/local/bin/editor
    echo "APT::Get::Assume-Yes \"true\";" >/etc/apt/apt.conf.d/yes
    echo "debconf debconf/frontend select Noninteractive" | debconf-set-selections
    openssl req -quiet -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -days 2 -subj /CN=apt.example.com \
        -addext subjectAltName=DNS:apt.example.com -keyout /root/web.key -out /usr/local/share/ca-certificates/web.crt
    update-ca-certificates'

# Serves the repository in /srv/apt as https://apt.example.com, until the machine ends.
serve_repository() {
    on_machine python3 -B -c '
import functools, http.server, ssl
# HTTP/1.0 ends each answer with the connection, and this server does so without a close_notify of TLS.
http.server.SimpleHTTPRequestHandler.protocol_version = "HTTP/1.1"
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="/srv/apt")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("/usr/local/share/ca-certificates/web.crt", "/root/web.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()' >"$work/web" 2>&1 </dev/null &
    within 60 on_machine bash -c 'exec 3<>/dev/tcp/127.0.0.1/443' 2>/dev/null || fail "no web server: $(cat "$work/web")"
}

# Prints the lines of README that a reader types, each as "SECTION/BLOCK PROMPT COMMAND". SECTION is the first word of the
# heading, such as Try. BLOCK counts from 1.
readme() {
    awk '/^## / { section = $2; block = 0 }
        /^```/ { inside = !inside && /console/; block += inside; next }
        inside && /^[$#] / { sub(/   +#.*/, ""); print section "/" block, $0 }' "$root/README.md"
}

# Types block $1, such as Install/2, as user $2, and calls `after` with each line. The prompt # is root's.
type_block() {
    local lines place prompt line user
    lines=$(readme | grep "^$1 ") || fail "README has no block $1 of commands"
    while read -r place prompt line; do
        printf '%s %s %s\n' "$place" "$prompt" "$line" | tee -a "$work/typed"
        user=$2
        [ "$prompt" != '#' ] || user=root
        type_line "$user" "$line" || fail "this line of README fails: $line"
        after "$line"
    done <<<"$lines"
}

# Types line $2 as user $1, on a terminal if the line needs one.
type_line() {
    local quoted
    case $2 in
        sightline-provision*)
            # The passphrase, and the same again.
            printf -v quoted %q "$2"
            cat "$work/passphrase" "$work/passphrase" | as_user "$1" "script -qec $quoted /dev/null" ;;
        'sightline watch' | 'sightline watch --site'*)
            # A reader looks for five seconds.
            as_user "$1" "script -qec 'timeout --preserve-status --signal INT 5 $2' /dev/null" </dev/null >"$work/screen" &&
                grep -q store-042 "$work/screen" || fail "the screen has no store-042: $(cat "$work/screen")" ;;
        *) as_user "$1" "$2" </dev/null ;;
    esac
}

as_user() { on_machine env TERM=xterm runuser -l "$1" -c "$2"; }

# Fails if README has a line that was not typed, except those that pattern $1 matches; prints these commands.
expect_all_typed() {
    local left
    left=$(readme | grep -vxFf "$work/typed") || true
    ! grep -vE "$1" <<<"$left" >&2 || fail "nothing types these lines of README"
    cut -d ' ' -f 3- <<<"$left" | paste -s -d ,
}

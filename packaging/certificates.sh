# The certificates of packaging/sightline-provision. The authority is a folder with its key, an index of all certificates, and a
# list of the revoked ones (openssl-ca(1)). Source this file after lib.sh; it works in the folder $output.
#
# During a change there are two authorities. $output/authority signs the certificates of clients. The broker's
# certificate stays with the previous authority until that one is removed, since clients may not know the new one yet.

authority=$output/authority
previous=$output/authority.before

# Runs openssl, and prints its output only after a failure.
quietly() {
    local words
    words=$(openssl "$@" 2>&1) || fail "openssl $1: $words"
}

# Runs openssl-ca(1) with the authority in folder $1; the key's passphrase comes through standard input.
sign() {
    local folder=$1; shift
    unlock
    AUTHORITY=$folder quietly ca -batch -notext -passin stdin "$@" -config <(cat <<'CONFIGURATION'
[ca]
default_ca = authority
[authority]
certificate = $ENV::AUTHORITY/ca.crt
private_key = $ENV::AUTHORITY/ca.key
database = $ENV::AUTHORITY/index.txt
new_certs_dir = $ENV::AUTHORITY/issued
crlnumber = $ENV::AUTHORITY/crlnumber
rand_serial = yes
unique_subject = no
default_md = sha256
policy = policy
[policy]
commonName = supplied
CONFIGURATION
    ) <<<"$passphrase"
}

# Reads the passphrase of the authority's key once, from --passphrase-file or from the terminal. A key without one, of an
# earlier version of this script, gets it.
unlock() {
    [ -z "${passphrase+set}" ] || return 0
    local key=$authority/ca.key again
    if [ -n "$passphrase_file" ]; then
        # Editors write a byte order mark, and carriage returns.
        passphrase=$(LC_ALL=C sed '1s/^\xef\xbb\xbf//; s/\r$//; q' "$passphrase_file")
    elif [ -t 0 ]; then
        read -rsp "Passphrase of the authority's key: " passphrase
        echo >&2
        if [ ! -s "$key" ] || ! is_encrypted "$key"; then
            read -rsp "The same again: " again
            echo >&2
            [ "$passphrase" = "$again" ] || fail "the passphrases differ"
        fi
    else
        wrong "without a terminal, --passphrase-file FILE must have the passphrase of the authority's key"
    fi
    [ ${#passphrase} -ge 8 ] || fail "a passphrase has at least 8 characters"
    [ -s "$key" ] || return 0
    if is_encrypted "$key"; then
        openssl pkey -in "$key" -passin stdin -noout <<<"$passphrase" 2>/dev/null ||
            fail "the passphrase is not that of $key"
    else
        encrypt "$key" <"$key"
    fi
}

is_encrypted() { grep -q '^-----BEGIN ENCRYPTED' "$1"; }

# Writes the private key on standard input to file $1, behind the passphrase.
encrypt() {
    local key
    key=$(openssl pkcs8 -topk8 -scrypt -passout fd:3 3<<<"$passphrase") || fail "openssl pkcs8 failed"
    printf '%s\n' "$key" >"$1.new"
    mv "$1.new" "$1"
}

# Creates an authority with the name $1, for 20 years, in the folder $authority.new.
create_authority() {
    local folder=$authority.new
    unlock
    rm -rf "$folder"
    mkdir -p "$folder/issued"
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 | encrypt "$folder/ca.key"
    quietly req -x509 -key "$folder/ca.key" -passin stdin -out "$folder/ca.crt" -days 7300 -subj "/CN=$1" \
        -addext "basicConstraints=critical,CA:TRUE,pathlen:0" \
        -addext "keyUsage=critical,keyCertSign,cRLSign" <<<"$passphrase"
    begin_index "$folder"
}

begin_index() {
    touch "$1/index.txt"
    echo 01 >"$1/crlnumber"
    list_revoked "$1"
}

# Writes the revocation list of authority $1. A broker rejects all clients after the end of the list: it lives as long as
# the authority.
list_revoked() {
    local end
    end=$(date -d "$(openssl x509 -in "$1/ca.crt" -noout -enddate | cut -d= -f2)" +%s)
    sign "$1" -gencrl -crldays $(((end - $(date +%s)) / 86400 + 1)) -out "$1/crl.pem"
}

# Moves the authority of an earlier version of this script into its folder, with an index of its certificates.
adopt_authority() {
    local file
    [ -s "$output/ca.key" ] && [ -s "$output/ca.crt" ] && [ ! -e "$authority" ] || return 0
    mkdir -p "$authority/issued"
    mv "$output/ca.key" "$authority/ca.key"
    cp "$output/ca.crt" "$authority/ca.crt"
    begin_index "$authority"
    for file in "$output"/broker/server.crt "$output"/gateways/*/*/gateway.crt "$output"/people/*/*.crt; do
        [ "${file##*/}" != ca.crt ] && [ -s "$file" ] && is_signed "$file" || continue
        sign "$authority" -valid "$file"
        cp "$file" "$authority/issued/$(serial "$file").pem"
    done
}

serial() { openssl x509 -in "$1" -noout -serial | cut -d= -f2; }

# Whether certificate $1 is signed by the authority in folder $2, and not revoked.
is_signed() {
    openssl verify -CAfile "${2:-$authority}/ca.crt" -crl_check -CRLfile "${2:-$authority}/crl.pem" \
        "$1" >/dev/null 2>&1
}

# Whether $1.crt and $1.key, or $1.csr, serve for the days to come, for the host names $3, under authority $2.
is_current() {
    local left=$((days / 3 < 30 ? days / 3 : 30))
    [ -s "$1.crt" ] && openssl x509 -in "$1.crt" -noout -checkend $((left * 86400)) >/dev/null &&
        is_signed "$1.crt" "$2" && [ "$(host_names "$1.crt")" = "$3" ] || return 1
    if [ -s "$1.csr" ]; then
        [ "$(openssl req -in "$1.csr" -noout -pubkey)" = "$(openssl x509 -in "$1.crt" -noout -pubkey)" ]
    else
        [ -s "$1.key" ]
    fi
}

# The names in certificate $1, as "DNS:broker.example,IP:192.0.2.1".
host_names() {
    openssl x509 -in "$1" -noout -ext subjectAltName 2>/dev/null | tail -n +2 | tr -d ' \n' | sed 's/IPAddress:/IP:/g'
}

made=0
# Creates a certificate for user $2, and its key, unless both are current: files $1.crt and $1.key. A request $1.csr takes
# the place of the key, which then stays with the user.
certify() {
    issue "$authority" "$1" "$2" "" "keyUsage=critical,digitalSignature" "extendedKeyUsage=clientAuth"
}

# The same for the broker, with the host names $1.
certify_broker() {
    local signer=$authority
    [ ! -e "$previous" ] || signer=$previous
    issue "$signer" "$output/broker/server" "Sightline broker" "$1" \
        "keyUsage=critical,digitalSignature" "extendedKeyUsage=serverAuth" "subjectAltName=$1"
}

issue() {
    local signer=$1 file=$2 user=$3 names=$4 request=$2.csr; shift 4
    ! is_current "$file" "$signer" "$names" || return 0
    if [ ! -s "$request" ]; then
        request=$file.csr.new
        quietly req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc -keyout "$file.key.new" \
            -out "$request" -subj /CN=x
    fi
    printf '%s\n' basicConstraints=critical,CA:FALSE "$@" >"$file.ext"
    sign "$signer" -in "$request" -subj "/CN=${user//\//\\/}" -days "$days" -extfile "$file.ext" -out "$file.crt.new"
    if [ -e "$file.key.new" ]; then mv "$file.key.new" "$file.key"; else rm -f "$file.key"; fi
    mv "$file.crt.new" "$file.crt"
    rm -f "$file.ext" "$file.csr.new"
    made=$((made + 1))
}

# The certificates of user $1 that authority $2 issued and did not revoke, as files.
valid() {
    tr -d '\\' <"$2/index.txt" | awk -F '\t' -v name="/CN=$1" -v folder="$2/issued" \
        '$1 == "V" && $6 == name {print folder "/" $4 ".pem"}'
}

# Copies what the broker and all clients trust into their folders.
publish_authority() {
    local file folders=("$authority")
    [ ! -e "$previous" ] || folders+=("$previous")
    cat "${folders[@]/%//ca.crt}" >"$output/ca.crt"
    cat "${folders[@]/%//crl.pem}" >"$output/broker/crl.pem"
    for file in "$output"/{broker,gateways/*/*,people/*}; do
        [ ! -d "$file" ] || cp "$output/ca.crt" "$file"
    done
}

# Waits until no other run of this script works in the folder.
lock() {
    exec 9<"$output"
    flock 9
}

# Creates or adopts the authority. A new one would invalidate all existing certificates.
load_authority() {
    local file
    adopt_authority
    if [ ! -e "$authority" ] && [ ! -e "$output/ca.crt" ]; then
        create_authority Sightline
        mv "$authority.new" "$authority"
    fi
    for file in ca.key ca.crt index.txt; do
        [ -e "$authority/$file" ] || fail "$authority/$file is missing: restore it, or use another --output"
    done
    openssl x509 -in "$authority/ca.crt" -noout -checkend $((days * 86400)) >/dev/null ||
        wrong "--days $days is beyond the end of the authority: $(
            openssl x509 -in "$authority/ca.crt" -noout -enddate)"
}

# Creates the authority that signs from now on. Clients and broker trust both.
next_authority() {
    [ ! -e "$previous" ] || wrong "a change of authority has begun: end it with --drop-authority"
    create_authority "Sightline $(openssl rand -hex 4)"
    mv "$authority" "$previous"
    mv "$authority.new" "$authority"
    say "sightline-provision: first copy the new ca.crt to every client, then use --drop-authority"
}

# Removes the previous authority, with its key.
drop_authority() {
    [ -e "$previous" ] || wrong "there is no previous authority: begin a change with --next-authority"
    unlock
    rm -r "$previous"
}

# The users in the access list: gateways as SITE/GATEWAY, and people.
users() { sed -n 's/^user //p' "$output/broker/acl" 2>/dev/null || true; }

# The certificate of user $1, without its ending.
place() {
    local owner=$1
    case $1 in
        */*) echo "$output/gateways/$1/gateway" ;;
        *)
            [ -d "$output/people/$1" ] || owner=${1%.watch}
            echo "$output/people/$owner/$1" ;;
    esac
}

# Users with a new certificate.
fresh=()
# Creates or renews the certificate of user $1.
certify_user() {
    local before=$made file
    file=$(place "$1")
    [ -z "$requests" ] || [ ! -e "$requests/$1.csr" ] || cp "$requests/$1.csr" "$file.csr"
    certify "$file" "$1"
    [ "$made" = "$before" ] || fresh+=("$1")
}

# Renews the certificates of all users, and the broker's.
renew() {
    local user all
    mapfile -t all < <(users)
    for user in "${all[@]}"; do certify_user "$user"; done
    certify_broker "$(host_names "$output/broker/server.crt")"
    publish_authority
    say "sightline-provision: $(count "$made" 'new certificate'), in $output"
    [ "$made" = 0 ] || say "sightline-provision: copy broker/ to the broker, and reload it"
    [ ${#fresh[@]} = 0 ] || say "sightline-provision: new, copy to their owners: ${fresh[*]}"
}

# Whether user NAME.watch exists by itself, and not as the second name of operator NAME: it has a folder of its own, or is
# in the access list.
is_other_user() {
    [ -d "$output/people/$1" ] || awk -v user="user $1" -v operator="user ${1%.watch}" '
        /^user / {name = $0}
        name == user {listed = 1}
        name == operator && /^topic write .*config\/desired$/ {second = 1}
        END {exit !(listed && !second)}' "$output/broker/acl"
}

# Revokes all certificates of users "$@", and takes their rights away. The second name of an operator goes with the first.
revoke() {
    local name user folder file count=0 users=() folders=("$authority") acl=$output/broker/acl
    [ ! -e "$previous" ] || folders+=("$previous")
    for name; do
        users+=("$name")
        [[ $name == */* ]] || is_other_user "$name.watch" || users+=("$name.watch")
        for folder in "${folders[@]}"; do [ -z "$(valid "$name" "$folder")" ] || continue 2; done
        wrong "--revoke: '$name' has no valid certificate"
    done
    for user in "${users[@]}"; do
        for folder in "${folders[@]}"; do
            while read -r file; do
                sign "$folder" -revoke "$file"
                count=$((count + 1))
            done < <(valid "$user" "$folder")
        done
        rm -f "$(place "$user")".{crt,key,csr}
        awk -v user="user $user" '/^user / {mine = $0 == user} !mine' "$acl" >"$acl.new"
        mv "$acl.new" "$acl"
    done
    for folder in "${folders[@]}"; do list_revoked "$folder"; done
    publish_authority
    say "sightline-provision: $(count $count certificate) revoked"
    say "sightline-provision: copy broker/ to the broker, and restart it: a reload keeps existing connections"
}

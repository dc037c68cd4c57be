"""Certificates: wrong ones, expired ones, revoked ones, renewed ones, and those of another authority."""

import os
import pathlib
import socket
import ssl
import subprocess
from datetime import datetime, timezone

import wire
from processes import Program, expect
from provisioned import PASSPHRASE, Provisioned, free_port

ENTRY = "store-042/entry-1"


def openssl(*arguments, **environment):
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, input=PASSPHRASE,
                          env={**os.environ, **environment})
    expect(done.returncode == 0, f"openssl {arguments}: {done.stderr}")
    return done.stdout


def make(site, name, subject, signer=None, dates=()):
    """A certificate that provision did not make: self-signed, of another authority, or with other dates."""
    pair, subject = f"{site.folder}/{name}", "/CN=" + subject.replace("/", "\\/")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-keyout", f"{pair}.key"]
    if not signer:
        openssl("req", "-x509", *key, "-out", f"{pair}.crt", "-days", "7300", "-subj", subject)
        return pair
    openssl("req", "-new", *key, "-out", f"{pair}.csr", "-subj", subject)
    folder = site.write(f"{name}-ca/index.txt", "").removesuffix("/index.txt")
    configuration = site.write(f"{name}.cnf", f"""[ca]
default_ca = a
[a]
certificate = {signer}.crt
private_key = {signer}.key
database = {folder}/index.txt
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = p
[p]
commonName = supplied
""")
    openssl("ca", "-batch", "-config", configuration, "-passin", "stdin", "-in", f"{pair}.csr", "-out", f"{pair}.crt",
            *(dates or ("-days", "9")))
    return pair


def wrong_certificates():
    """Clients come without a certificate, with a wrong one, without TLS, or with an old TLS."""
    with Provisioned() as site:
        ca, mine = f"{site.made}/ca.crt", f"{site.made}/authority/ca"
        foreign = make(site, "foreign", "Sightline")
        pairs = {
            "none": None,
            "self-signed": make(site, "self", ENTRY),
            "of another authority": make(site, "other", ENTRY, foreign),
            "expired": make(site, "expired", ENTRY, mine, ("-startdate", "200101000000Z", "-enddate", "200102000000Z")),
            "not yet valid": make(site, "early", ENTRY, mine, ("-startdate", "400101000000Z", "-enddate", "400102000000Z")),
            "the broker's": f"{site.made}/broker/server",
        }
        for name, pair in pairs.items():
            expect(not site.admits(ENTRY, wire.context(ca, pair)), f"the broker admits a client: {name}")
        try:
            wire.Client(site.port, None, version=4).drop()
            expect(False, "the broker admits a client without TLS")
        except wire.Refused:
            pass
        old = site.context(ENTRY)
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        expect(not site.admits(ENTRY, old), "the broker admits TLS 1.1")
        expect(site.admits(ENTRY), "the broker refuses the right certificate")
    return f"{len(pairs) + 2} clients"


def wrong_broker():
    """A gateway's certificate, and one of another authority, as the broker's."""
    with Provisioned() as site:
        pairs = [site.pair(ENTRY), make(site, "foreign", "localhost")]
        for pair in pairs:
            port = free_port()
            path = site.write("wrong.conf", f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_dest stderr\n"
                              f"certfile {pair}.crt\nkeyfile {pair}.key\n" + ("user root\n" if os.getuid() == 0 else ""))
            with Program("mosquitto", "-c", path) as broker:
                broker.says("running$")
                done = subprocess.run(
                    ["mosquitto_pub", "-h", "localhost", "-p", str(port), "--insecure", "--cafile",
                     f"{site.made}/ca.crt", "-t", "x", "-m", "x"], capture_output=True, text=True)
                expect(done.returncode != 0, f"a client accepts {pair}")
    return f"{len(pairs)} brokers"


def revocation():
    """A stolen card and a person who has left: the broker refuses them after a reload, and cuts them at a restart."""
    with Provisioned() as site:
        stolen, ticket = site.context(ENTRY), None
        stolen.maximum_version = ssl.TLSVersion.TLSv1_2
        first = wire.Client(site.port, stolen)
        ticket = first.wire.session
        alice, watch = site.context("alice"), site.context("alice.watch")
        # An earlier certificate of the gateway is valid as well: --revoke withdraws all.
        earlier = site.folder + "/earlier"
        for end in ("crt", "key"):
            pathlib.Path(f"{earlier}.{end}").write_bytes(pathlib.Path(f"{site.pair(ENTRY)}.{end}").read_bytes())
        pathlib.Path(f"{site.pair(ENTRY)}.key").unlink()
        site.provision("--renew")
        expect(site.admits(ENTRY) and site.admits(ENTRY, wire.context(f"{site.made}/ca.crt", earlier)), "not valid")
        live = wire.Client(site.port, wire.context(f"{site.made}/ca.crt", site.pair(ENTRY)))
        said = site.provision("--revoke", ENTRY, "alice")
        expect("4 certificates revoked" in said and "restart" in said, said)
        expect(site.admits("alice", alice), "the broker has the list already")
        site.install()
        site.reload()
        for name, settings in [("alice", alice), ("alice.watch", watch), ("the card", stolen),
                               ("earlier", wire.context(f"{site.made}/ca.crt", earlier))]:
            expect(not site.admits(name, settings), f"the broker admits {name} after the revocation")
        # A session of TLS, resumed without a certificate.
        wire_ = socket.create_connection(("localhost", site.port))
        try:
            resumed = stolen.wrap_socket(wire_, server_hostname="localhost", session=ticket)
            resumed.sendall(bytes([0x10, 14, 0, 4]) + b"MQTT" + bytes([4, 2, 0, 0, 0, 2]) + b"xy")
            expect(not resumed.recv(4), "the broker resumes the session of a revoked certificate")
        except OSError:
            pass
        expect(live.is_alive(), "a reload cut the connection: packaging/README.md says otherwise")
        site.restart()
        expect(not live.is_alive(), "the connection outlived the restart")
        expect(site.admits("store-042/till-1") and site.admits("queue"), "the broker refuses the others")
        # The same names on new cards.
        site.provision(*site.list)
        site.install()
        site.restart()
        expect(site.admits(ENTRY) and site.admits("alice") and site.admits("alice.watch"), "no new certificates")
        expect(not site.admits("alice", alice), "the broker admits the old certificate")
        said = site.provision("--revoke", "nobody", status=2)
        expect("no valid certificate" in said, said)
        dates = [openssl("crl", "-in", f"{site.made}/authority/crl.pem", "-noout", "-nextupdate"),
                 openssl("x509", "-in", f"{site.made}/authority/ca.crt", "-noout", "-enddate")]
        ends = [datetime.strptime(date.split("=")[1].strip(), "%b %d %H:%M:%S %Y GMT") for date in dates]
        expect(ends[0] >= ends[1], f"the list of revoked certificates ends before the authority: {ends}")
    return "4 certificates"


def days_left(file):
    end = openssl("x509", "-in", file, "-noout", "-enddate").split("=")[1].strip()
    return (datetime.strptime(end, "%b %d %H:%M:%S %Y GMT") - datetime.now(timezone.utc).replace(tzinfo=None)).days


def renewal():
    """Certificates of 90 days; --renew renews those that end soon; the key of a request never leaves its machine."""
    with Provisioned() as site:
        expect(days_left(f"{site.pair(ENTRY)}.crt") in (89, 90), "not 90 days")
        expect("0 new certificates" in site.provision("--renew"), "renews what is new")
        pair = f"{site.folder}/requests/store-042/till-1"
        os.makedirs(f"{site.folder}/requests/store-042")
        # The subject of a request has no meaning: the file's name counts.
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
                "-keyout", f"{pair}.key", "-out", f"{pair}.csr", "-subj", "/CN=alice")
        site.provision(*site.list, "--csr", f"{site.folder}/requests", "--days", "60")
        expect(not os.path.exists(site.pair("store-042/till-1") + ".key"), "the key is still in the folder")

        def admits():
            os.replace(f"{site.pair('store-042/till-1')}.crt", f"{pair}.crt")
            settings = wire.context(f"{site.made}/ca.crt", pair)
            client = wire.Client(site.port, settings)
            return client.publish("sightline/v1/store-042/till-1/status") == wire.SUCCESS

        expect(days_left(f"{site.pair('store-042/till-1')}.crt") in (59, 60), "not 60 days")
        expect(admits(), "the request has no rights")
        said = site.provision("--renew")
        expect("new, copy to their owners: store-042/till-1" in said, said)
        expect(admits(), "the renewed certificate does not fit the key")
        site.write("requests/nobody.csr", "")
        expect("matches no name" in site.provision(*site.list, "--csr", f"{site.folder}/requests", status=2), "unknown request")
    return "2 renewals"


def change_of_authority():
    """A new authority: at each step, old and new files work together."""
    with Provisioned() as site:
        old = site.context(ENTRY)
        before = pathlib.Path(site.made, "authority/ca.crt").read_text()
        site.provision("--next-authority")
        new = site.context(ENTRY)
        expect(site.admits(ENTRY, old), "old broker, old client")
        site.install()
        site.restart()
        for name, settings in [("old", old), ("new", new)]:
            expect(site.admits(ENTRY, settings), f"broker with both authorities, {name} client")
        expect(pathlib.Path(site.made, "ca.crt").read_text().count("BEGIN CERT") == 2, "not two authorities")
        expect("has begun" in site.provision("--next-authority", status=2), "a second change")
        # Revocation works with both.
        site.provision("--revoke", "queue")
        site.provision("--drop-authority")
        latest = site.context(ENTRY)
        site.install()
        site.restart()
        expect(site.admits(ENTRY, new), "new broker, client with both authorities")
        expect(site.admits(ENTRY, latest), "new broker, new client")
        expect(not site.admits(ENTRY, old), "the broker admits the previous authority")
        expect(before not in pathlib.Path(site.made, "ca.crt").read_text(), "clients trust the previous authority")
        expect("no previous" in site.provision("--drop-authority", status=2), "a second end")
    return "2 steps"


def names():
    """Names that would collide, and the authority's key."""
    with Provisioned() as site:
        for arguments, word in [
            (["--operator", "ca"], "reserved"), (["--backend", "ca"], "reserved"),
            (["--operator", "bob", "--backend", "bob.watch"], "not twice: 'bob.watch'"),
        ]:
            said = site.provision("--plan", f"{site.folder}/plan.csv", "--broker", "localhost", *arguments, status=2)
            expect(word in said, said)
        key = pathlib.Path(site.made, "authority/ca.key")
        expect("ENCRYPTED" in key.read_text(), "the authority's key has no passphrase")
        site.write("passphrase", "another passphrase\n")
        pathlib.Path(f"{site.pair('queue')}.key").unlink()
        expect("passphrase is not" in site.provision("--renew", status=1), "a wrong passphrase")
    return "3 names"


def second_names():
    """The second name of an operator goes with the first; a backend with such a name stays."""
    site = Provisioned(people=["--backend", "bob", "--backend", "bob.watch", "--operator", "alice"])
    said = site.provision("--revoke", "bob")
    expect("1 certificate revoked" in said, said)
    access = pathlib.Path(site.made, "broker/acl").read_text().splitlines()
    expect("user bob.watch" in access and "user bob" not in access, f"the access list: {access}")
    expect(pathlib.Path(site.made, "people/bob.watch/bob.watch.crt").exists(), "no certificate of bob.watch")
    said = site.provision("--revoke", "alice")
    expect("2 certificates revoked" in said, said)
    # An operator who has left: no paragraph tells the role any more.
    site.provision(*site.list, "--operator", "carol")
    site.provision(*site.list)
    said = site.provision("--revoke", "carol")
    expect("2 certificates revoked" in said, said)
    # Two backends that have left.
    site.provision(*site.list, "--backend", "dan", "--backend", "dan.watch")
    site.provision(*site.list)
    said = site.provision("--revoke", "dan")
    expect("1 certificate revoked" in said, said)
    return "7 names"


def earlier_version():
    """The folder of an earlier version is adopted: its key gets a passphrase, its certificates can be revoked."""
    site = Provisioned()
    made = pathlib.Path(site.made)
    # As the earlier version left it.
    key = openssl("pkey", "-in", f"{made}/authority/ca.key", "-passin", "stdin")
    subprocess.run(["rm", "-r", made / "authority", made / "broker/crl.pem"], check=True)
    authority = make(site, "old", "Sightline")
    for end in ("crt", "key"):
        (made / f"ca.{end}").write_bytes(pathlib.Path(f"{authority}.{end}").read_bytes())
    expect("BEGIN PRIVATE" in key, "no key")
    for path in [made / "broker/server", *made.glob("gateways/*/*/gateway"), *made.glob("people/*/*.crt")]:
        path.with_suffix(".crt").unlink(missing_ok=True)
    own = make(site, "own", ENTRY, authority, ("-days", "90"))
    for end in ("crt", "key"):
        pathlib.Path(f"{site.pair(ENTRY)}.{end}").write_bytes(pathlib.Path(f"{own}.{end}").read_bytes())
    site.provision(*site.list)
    with site:
        expect("ENCRYPTED" in (made / "authority/ca.key").read_text(), "the key has no passphrase")
        settings = site.context(ENTRY)
        expect(site.admits(ENTRY, settings), "the adopted certificate is refused")
        expect("1 certificate revoked" in site.provision("--revoke", ENTRY), "not revoked")
        site.install()
        site.restart()
        expect(not site.admits(ENTRY, settings), "the broker admits the revoked certificate")
    return "1 folder"


SCENARIOS = [wrong_certificates, wrong_broker, revocation, renewal, change_of_authority, names, second_names,
             earlier_version]

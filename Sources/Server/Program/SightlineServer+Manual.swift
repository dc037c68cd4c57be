import CommandLine

extension SightlineServer {
    /// The text of sightline-server(8) beyond `--help`.
    static let manual = Manual(
        [
            "The server of a store. It reads the sightings of gateways from an MQTT broker and measures the queues of "
                + "its configuration: who is in line, how long people wait, and how long a person who joins now will "
                + "wait. Lengths, waits, forecasts and the throughput have an interval. A queue whose gateways do not hear is unknown, "
                + "and never 0.",
            "The server publishes results on MQTT, and shows them on a page in the browser, by an API, and as metrics "
                + "for Prometheus. http.listen in the configuration is the address of the page.",
            "The server acknowledges a message after it has stored it. After a kill, it reads the day from the store "
                + "and computes the same results again. If the disk fails, it continues in memory and reports it.",
            "A day ends at 04:00, and is closed a minute later. The key that makes pseudonyms of beacons is then "
                + "destroyed. Visits and evidence end after 24 hours, once their day is closed. A server that was away then closes the day when it has "
                + "taken what the broker has kept of it.",
            "SIGHUP reads the configuration again, with its password, certificates and tokens. Sites with a new layout fold "
                + "their day again, and the others keep their state. Another broker, password or certificate makes a new "
                + "connection. Streams end if tokens have changed, and their clients connect again. After a fault in any "
                + "file, everything stays unchanged. SIGTERM and SIGINT end the server.",
            "Without systemd's folder, the state is in sightline-server in $XDG_STATE_HOME.",
        ],
        exitCodes: [
            .init("0", "ended by a signal"), .init("1", "failure, such as an address in use"),
            .init("2", "wrong usage or configuration"),
        ],
        environment: [
            .init("STATE_DIRECTORY", "the folder of the store, from systemd"),
            .init("XDG_STATE_HOME", "the folder with the store's folder, without STATE_DIRECTORY"),
            .init("RUNTIME_DIRECTORY", "the folder for what the disk does not take, from systemd"),
            .init("XDG_RUNTIME_DIR", "the folder with that folder, without RUNTIME_DIRECTORY"),
            .init("TZ", "the time zone of the store's days"),
        ],
        files: [
            .init(
                "/etc/sightline-server/sightline-server.json",
                "the configuration; see sightline-server.json(5)"),
            .init("/var/lib/sightline-server", "the store and the key of the day"),
            .init("/run/sightline-server", "messages and keys while the disk does not take them"),
        ],
        examples: [
            .init("sightline-server init --config server.json", "Write a first configuration:"),
            .init("sightline-server --config server.json --check", "Check a configuration:"),
        ],
        seeAlso: [
            "sightline-server.json(5)", "sightline(1)", "sightline-queue(1)", "sightlined(8)",
        ])
}

import CommandLine
import Contract

extension Daemon {
    /// What sightlined(8) says beyond `--help`.
    static let manual = Manual(
        [
            "The agent on every gateway of a store. It hears Bluetooth LE advertisements all the time, makes "
                + "of each beacon's a few numbers per window (a sighting), and publishes those over MQTT. "
                + "It is an iBeacon itself, whose identity is retuned over MQTT.",
            "An empty window is published as well, and one in which the radio did not listen says so. "
                + "What the broker has not acknowledged is kept, on the disk where it takes long, and "
                + "sent when the broker is back; what had to be given up is declared in a later message.",
            "SIGTERM and SIGINT end the open window, publish it, and say offline; a second signal ends "
                + "at once.",
            "--check says all that is wrong with the configuration's file, each fault with its place. It looks at "
                + "no other file, so that a gateway's configuration can be checked on any machine: on the "
                + "gateway itself, sightline doctor looks at the passwords and certificates that it names.",
            "SIGHUP has the agent read its configuration again, with the passwords and certificates that it "
                + "names. A fault in any of it changes nothing, and is in the log, one in the file itself as "
                + "--check would have it; only a broker that could not be used before either, and "
                + "is as it was in the file, does not matter while there are others. Whom to connect to, how to report and what to advertise change while the "
                + "agent runs; a key that waits for its next start (gateway, mqtt.root, radio.source, "
                + "report.maxIdentities, outbox.path, stateDirectory) is named in the log. With --output - "
                + "SIGHUP is ignored.",
            "The log goes to standard error, a line an event, without times. Lines are key=value, or objects "
                + "where log.format is json. The journal's priority stands in front where the "
                + "journal reads, and before key=value wherever no terminal does.",
        ],
        exitCodes: [
            .init("0", "done"),
            .init("1", "failed: the reason is on standard error"),
            .init("2", "wrong use, or a configuration with faults, each of which is told"),
        ],
        environment: [
            .init(
                "STATE_DIRECTORY, XDG_STATE_HOME, HOME",
                "where the agent keeps what must outlast it, in this order, unless the configuration's "
                    + "stateDirectory says where"),
            .init(
                "NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID",
                "a service manager that is told when the agent is ready (radio and broker have been "
                    + "tried, whatever came of it, or 30 seconds are over), how it is in a sentence, that "
                    + "the radio's loop is alive, that the configuration is read again, and that the end begins; "
                    + "see sd_notify(3)"),
        ],
        files: [
            .init("/etc/sightline/sightlined.json", "the configuration of the service"),
            .init("/var/lib/sightline", "the service's outbox, and the layers in force"),
        ],
        examples: [
            .init("sightlined --config sightlined.json --check", "Check a configuration:"),
            .init(
                "sightlined --radio replay:capture.btsnoop --output -",
                "See what a capture comes to, message by message:"),
            .init(
                "sightlined --radio hci0 --output -",
                "Hear an adapter of this machine, without any broker:"),
        ],
        seeAlso: ["sightlined.json(5)", "sightline(1)", "sightline-doctor(1)", "btmon(1)"])
}

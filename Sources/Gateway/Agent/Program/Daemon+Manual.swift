import CommandLine
import Contract

extension Daemon {
    /// The text of sightlined(8) beyond `--help`.
    static let manual = Manual(
        [
            "The agent of a gateway. It receives Bluetooth LE advertisements all the time, turns the "
                + "advertisements of each beacon into statistics of a window (a sighting), and publishes them "
                + "over MQTT. The gateway is an iBeacon itself. Operators retune it over MQTT.",
            "The agent publishes empty windows too. A window in which the radio did not listen has the state deaf. "
                + "The agent keeps unacknowledged messages, after some time on the disk, and sends them when the "
                + "broker is back. A later message declares lost messages.",
            "SIGTERM and SIGINT end the open window, publish it, and publish the status offline. A second "
                + "signal ends the agent immediately.",
            "--check prints each fault of the configuration file with its place. It reads no other file, "
                + "so it works on any machine. On the gateway, sightline doctor also checks the passwords and "
                + "certificates.",
            "SIGHUP reads the configuration again, with its passwords and certificates. After any fault the "
                + "configuration stays unchanged, and the log has the faults that --check prints. There is one "
                + "exception: an unusable broker that is unchanged and was unusable before is only logged, while "
                + "other brokers are usable. Brokers, report and advertise change while the agent runs. The log "
                + "names keys that need a restart (gateway, mqtt.root, radio except reference, report.maxIdentities, "
                + "outbox.path, stateDirectory). With --output - the agent ignores SIGHUP.",
            "The connection to the broker is a process of its own, without capabilities: a child that the agent "
                + "starts. If it ends or hangs, the radio continues, and the agent starts it again and sends it the "
                + "messages that are not yet delivered or stored. Signals are for the agent; the child ignores "
                + "SIGTERM, SIGINT and SIGHUP.",
            "The log goes to standard error, one line an event, without times. Lines are key=value, or objects "
                + "if log.format is json. The journal's priority precedes an object only in the journal, and "
                + "key=value everywhere except on a terminal.",
        ],
        exitCodes: [
            .init("0", "done"),
            .init("1", "failed: the reason is on standard error"),
            .init("2", "wrong use, or faults in the configuration"),
            .init(
                "3",
                "no step has recovered the radio within radio.exitAfterMinutes. The service does not restart the "
                    + "agent: its unit fails, and OnFailure= starts a unit that repairs the adapter"
            ),
        ],
        environment: [
            .init(
                "STATE_DIRECTORY, XDG_STATE_HOME, HOME",
                "the folder for outbox and layers, in this order, unless stateDirectory is set"),
            .init(
                "NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID",
                "the socket and watchdog of a service manager. It receives: ready (after the first attempts at "
                    + "radio and broker, or after 30 seconds), the status line, the watchdog's signal, reload and "
                    + "stop; see sd_notify(3)"),
        ],
        files: [
            .init("/etc/sightline/sightlined.json", "the configuration of the service"),
            .init("/var/lib/sightline", "the outbox and the layers of the service"),
        ],
        examples: [
            .init("sightlined --config sightlined.json --check", "Check a configuration:"),
            .init(
                "sightlined --radio replay:capture.btsnoop --output -",
                "Print the messages of a capture:"),
            .init(
                "sightlined --radio hci0 --output -",
                "Receive with an adapter of this machine, without a broker:"),
        ],
        seeAlso: ["sightlined.json(5)", "sightline(1)", "sightline-doctor(1)", "btmon(1)"])
}

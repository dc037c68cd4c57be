import CommandLine

extension DoctorCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Looks at everything that the agent of this gateway needs, in the order in which somebody would mend it, and "
                + "writes a line for each: ok, warning (it works, but should be mended), wrong with what to "
                + "do about it, or skipped. Where one thing is wrong, what depends on it is left out, so "
                + "that only causes are named. Run it as root, so that it may listen to the radio and look at the "
                + "agent's files.",
            "Nothing is changed. While an agent is running, the adapter is not touched: what the agent's own scan brings is "
                + "heard with it. Otherwise a shared adapter (hci0) is scanned for --seconds, and never taken down, up "
                + "or reset; one that would be the agent's own is opened as the agent would open it. Nothing is written on "
                + "the disk. At the broker, whose name for this visit is the agent's with -doctor behind it, whether "
                + "something may be published is asked with a message that is withdrawn before its delivery (QoS 2, MQTT "
                + "5); the few brokers that deliver it all the same deliver {}, not retained.",
            "What a broker says of subscriptions is believed. Mosquitto with an acl_file grants all of them and keeps "
                + "the messages back: there, a layer is proved to be readable only where a document is retained. A broker "
                + "that makes the user's name the client's (use_username_as_clientid of mosquitto) throws a running "
                + "agent out for the visit.",
        ],
        exitCodes: [
            .init("0", "all is well; there may be warnings"),
            .init("1", "something is wrong"),
            .init("2", "wrong use"),
        ],
        files: [.init(usualPath, "the configuration of the service")],
        examples: [
            .init("sudo sightline doctor", "Look at this gateway:"),
            .init(
                "sudo sightline doctor --seconds 60", "Listen longer, where little is on the air:"),
            .init("sightline doctor --json | jq 'select(.outcome != \"ok\")'", "See faults alone:"),
        ], seeAlso: ["sightline(1)", "sightlined(8)", "sightlined.json(5)"])
}

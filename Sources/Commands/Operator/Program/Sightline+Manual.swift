import CommandLine

/// What the man pages of `sightline` and its commands say beyond `--help`.
extension Sightline {
    static let manual = Manual(
        [
            "The operator's tool. It talks to the same MQTT broker as the gateways, whose agent is "
                + "sightlined(8), and needs no access to them; but for sightline doctor, which runs on a gateway."
        ], exitCodes: exitCodes,
        seeAlso: [
            "sightline-watch(1)", "sightline-tune(1)", "sightline-decode(1)",
            "sightline-doctor(1)", "sightlined(8)",
        ])

    static let watchManual = Manual(
        [
            "On a terminal, a live table of what gateways hear: a row for each beacon, the strongest first, with its "
                + "RSSI now and over time, and a line for each gateway, with its state and "
                + "the messages that are missing. Elsewhere, a line for each change. Device addresses are not shown: "
                + "no message has any."
        ], exitCodes: exitCodes,
        examples: [
            .init(
                "sightline watch --broker mqtts://broker.example --site store-042",
                "Watch one store, over TLS:"),
            .init(
                "sightline watch --json --seconds 60 >minute.jsonl", "Keep a minute's messages:"),
        ], seeAlso: ["sightline(1)", "sightlined(8)"])

    static let tuneManual = Manual(
        [
            "What a gateway advertises, how it reports and what it lets through is set in three layers: the "
                + "fleet's document, a site's, and a gateway's own, each narrower one over the wider "
                + "(RFC 7396). This command publishes the next version of a document, waits for what each "
                + "gateway reports, and writes a line for each: applied, rejected or refused with "
                + "the reason, overtaken, or silent.",
            "Faults are found before anything is published. A document that the broker has lost, and gateways "
                + "still know, is published again only whole, with --replace.",
        ],
        exitCodes: [
            .init("0", "every gateway has applied it"),
            .init("1", "some have not, or the broker could not be reached"),
            .init("2", "wrong use: nothing was published"),
        ],
        examples: [
            .init(
                "sightline tune advertise.uuid=e2c56db5-dffb-48d2-b060-d0f5a71096e0",
                "Set the organisation's UUID for the whole fleet:"),
            .init(
                "sightline tune --site store-042 --gateway entry-1 advertise.minor=9 --dry-run",
                "See what would change at one gateway:"),
            .init(
                "sightline tune --plan stores.csv",
                "Set hundreds at once, from a file with the columns site, major, gateway and minor:"
            ),
        ], seeAlso: ["sightline(1)", "sightlined.json(5)"])

    static let decodeManual = Manual(
        [
            "Reads captures (btsnoop, as btmon(1) with -w and Android phones write them) and says who was heard, how "
                + "often and how loud; or takes one advertisement apart, byte by byte. Device "
                + "addresses and names are not shown."
        ], exitCodes: exitCodes,
        examples: [
            .init("sightline decode capture.btsnoop", "What is in a capture:"),
            .init("sightline decode 0201061aff4c000215...", "One advertisement, byte by byte:"),
        ], seeAlso: ["sightline(1)", "btmon(1)"])

    static let doctorManual = Manual(
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
        files: [.init(DoctorCommand.usualPath, "the configuration of the service")],
        examples: [
            .init("sudo sightline doctor", "Look at this gateway:"),
            .init(
                "sudo sightline doctor --seconds 60", "Listen longer, where little is on the air:"),
            .init("sightline doctor --json | jq 'select(.outcome != \"ok\")'", "See faults alone:"),
        ], seeAlso: ["sightline(1)", "sightlined(8)", "sightlined.json(5)"])

    private static let exitCodes: [Manual.Entry] = [
        .init("0", "done"),
        .init("1", "failed: the reason is on standard error"),
        .init("2", "wrong use"),
    ]
}

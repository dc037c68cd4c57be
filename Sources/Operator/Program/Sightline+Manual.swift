import Arguments

/// What the man pages of `sightline` and its commands say beyond `--help`.
extension Sightline {
    static let manual = Manual(
        [
            "The operator's tool. It talks to the same MQTT broker as the gateways, whose agent is "
                + "sightlined(8), and needs no access to them."
        ], exitCodes: exitCodes,
        seeAlso: [
            "sightline-watch(1)", "sightline-tune(1)", "sightline-decode(1)", "sightlined(8)",
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

    private static let exitCodes: [Manual.Entry] = [
        .init("0", "done"),
        .init("1", "failed: the reason is on standard error"),
        .init("2", "wrong use"),
    ]
}

import CommandLine

extension TuneCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Three layers set a gateway's advertising, reports and filter: the fleet's document, a site's, and a "
                + "gateway's own, each narrower one over the wider (RFC 7396). This command publishes the next "
                + "version of a document, waits for what each gateway reports, and writes a line for each: applied, "
                + "rejected or refused with the reason, overtaken, offline, or silent. A plan, or more than 20 "
                + "gateways, gets the differences, a line for each gateway that needs attention, and the sum.",
            "Gateways that are offline are not waited for: they apply the document when they return. A site or "
                + "gateway of which the broker has no message is refused, with the nearest names.",
            "On a terminal, the command asks before it changes more than 20 documents; --yes answers. A line names "
                + "the first gateways that have not answered yet.",
            "Faults are found before anything is published. If gateways know a later document than the broker, or "
                + "another one of its version, the command names them and changes nothing: their settings would "
                + "be lost. A complete document replaces both, with --replace.",
            "Of two concurrent changes, the first counts: the later command publishes the first document again "
                + "and exits with 1. A reported version of 1,000,000 or more above the broker's is ignored and named. "
                + "After such a version, --reset-versions lets the versions begin again; offline gateways "
                + "keep the old one until the command runs again.",
            "The option --history lists the known versions of documents, the newest first. An entry has the time, "
                + "the difference to the document before, and the gateways with and without it. The broker keeps the "
                + "latest document of a layer. An earlier one is known while a gateway has it in force.",
        ],
        exitCodes: [
            .init("0", "every gateway has applied it"),
            .init("1", "some have not, or the broker refused the document or could not be reached"),
            .init("2", "wrong use, or an unknown site or gateway: nothing was published"),
            .init(
                "3",
                "all have applied it but those that are offline: they apply it when they return"),
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
            .init(
                "sightline tune --labels stores.csv --label floor=2 report.windowMs=500",
                "Change the gateways with a label, a column label.floor of a plan:"),
            .init("sightline tune --history store-042", "See what changed when in a store:"),
        ], seeAlso: ["sightline(1)", "sightlined.json(5)"])
}

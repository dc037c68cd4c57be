import CommandLine
import Terminal

extension DecodeCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Reads captures (btsnoop, from btmon(1) with -w or an Android phone) and writes the beacons with their "
                + "number of reports and RSSI. With hexadecimal bytes, it writes the fields of one advertisement. It "
                + "shows no device addresses and names."
        ], exitCodes: ExitCode.manual,
        examples: [
            .init("sightline decode capture.btsnoop", "Summarise a capture:"),
            .init(
                "sightline decode 0201061aff4c000215...", "Decode one advertisement, byte by byte:"),
        ], seeAlso: ["sightline(1)", "btmon(1)"])
}

import CommandLine
import CommandSupport

extension DecodeCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Reads captures (btsnoop, as btmon(1) with -w and Android phones write them) and says who was heard, how "
                + "often and how loud; or takes one advertisement apart, byte by byte. Device "
                + "addresses and names are not shown."
        ], exitCodes: ExitCode.manual,
        examples: [
            .init("sightline decode capture.btsnoop", "What is in a capture:"),
            .init("sightline decode 0201061aff4c000215...", "One advertisement, byte by byte:"),
        ], seeAlso: ["sightline(1)", "btmon(1)"])
}

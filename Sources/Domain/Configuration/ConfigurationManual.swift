import CommandLine
import Contract
import JSON

/// The man page of the configuration file, made of the commented example that is shipped with it.
package enum ConfigurationManual {
    /// sightlined.json(5), in the language of man(7).
    package static func page(example: String) -> String {
        var roff = Roff(title: "sightlined.json", section: 5, version: Version.current)
        roff.heading("NAME")
        roff.line("sightlined.json \\- " + Roff.escaped("configuration of a Sightline gateway"))
        roff.heading("DESCRIPTION")
        roff.paragraph(
            "One JSON object; comments, // to the end of the line and /* */, are allowed. The agent reads it at "
                + "its start, and again on SIGHUP: sightlined(8) with --check says what is wrong with it, "
                + "every fault with its place, and changes nothing; sightline-doctor(1) looks at the files "
                + "that it names as well.")
        roff.paragraph(
            "The sections report, filter and advertise are the lowest of four layers: documents on the broker, for "
                + "the fleet, the site and the gateway, are merged over them, key by key. All "
                + "other sections are this file's alone, so that no message can cut a gateway off.")
        roff.heading("KEYS")
        roff.paragraph("Every key there is, and what it is if it is left out:")
        roff.example(example.split(separator: "\n", omittingEmptySubsequences: false).trimmed)
        roff.heading("SEE ALSO")
        roff.line(Roff.escaped("sightlined(8), sightline-tune(1)"))
        return roff.text
    }
}

extension [Substring] {
    /// Without the empty lines at the end.
    fileprivate var trimmed: ArraySlice<Substring> {
        self[..<(lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0)]
    }
}

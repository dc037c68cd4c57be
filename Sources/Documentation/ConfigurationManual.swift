import CommandLine
import Contract

/// The man page of the configuration file, with the commented example.
package enum ConfigurationManual {
    /// sightlined.json(5), in the language of man(7).
    package static var page: String {
        var roff = Roff(title: "sightlined.json", section: 5, version: Version.current)
        roff.heading("NAME")
        roff.line("sightlined.json \\- " + Roff.escaped("configuration of a Sightline gateway"))
        roff.heading("DESCRIPTION")
        roff.paragraph(
            "One JSON object. Comments are allowed: // to the end of the line, and /* */. The agent reads the "
                + "file when it starts, and again on SIGHUP. sightlined(8) with --check reports every fault "
                + "with its place, and changes nothing. sightline-doctor(1) also checks the files that the "
                + "configuration names.")
        roff.paragraph(
            "The sections report, filter and advertise are the lowest of four layers. Documents on the broker, "
                + "for the fleet, the site and the gateway, are merged over them key by key. Only this file "
                + "has the other sections: no message can disconnect a gateway.")
        roff.heading("KEYS")
        roff.paragraph("All keys, with their defaults:")
        roff.example(
            ConfigurationExample.text.split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast())
        roff.heading("SEE ALSO")
        roff.line(Roff.escaped("sightlined(8), sightline-tune(1)"))
        return roff.text
    }
}

import CommandLine
import Contract

/// The man page of a configuration file, with the commented example.
package struct ConfigurationManual {
    /// In the language of man(7).
    package let page: String

    /// sightlined.json(5).
    package static var agent: ConfigurationManual {
        ConfigurationManual(
            "sightlined.json", "configuration of a Sightline gateway", .agent,
            [
                "One JSON object. Comments are allowed: // to the end of the line, and /* */. The agent reads the "
                    + "file when it starts, and again on SIGHUP. sightlined(8) with --check reports every fault "
                    + "with its place, and changes nothing. sightline-doctor(1) also checks the files that the "
                    + "configuration names.",
                "The sections report, filter and advertise are the lowest of four layers. Documents on the broker, "
                    + "for the fleet, the site and the gateway, are merged over them key by key. Only this file "
                    + "has the other sections: no message can disconnect a gateway.",
            ], seeAlso: "sightlined(8), sightline-tune(1)")
    }

    /// sightline-server.json(5).
    package static var server: ConfigurationManual {
        ConfigurationManual(
            "sightline-server.json", "configuration of a Sightline server", .server,
            [
                "One JSON object. Comments are allowed: // to the end of the line, and /* */. The server reads the "
                    + "file when it starts, and again on SIGHUP. sightline-server(8) with --check reports every "
                    + "fault with its place, and changes nothing.",
                "The part sites has the queues. sightline-queue(1) reads the same part.",
            ], seeAlso: "sightline-server(8), sightline-queue(1)")
    }

    /// sightline-profile.json(5).
    package static var profile: ConfigurationManual {
        ConfigurationManual(
            "sightline-profile.json", "broker and credentials for the command sightline", .profile,
            [
                "A profile is the file profile.json in a folder of ~/.config/sightline ($XDG_CONFIG_HOME): the folder's "
                    + "name is the profile's. sightline-provision writes one for each person. Relative paths begin in that "
                    + "folder. Only its owner should read it (mode 0600).",
                "The option --broker comes first, then --profile, the variables SIGHTLINE_BROKER and SIGHTLINE_PROFILE, then "
                    + "the profile named default, or the only one. Without any profile, the broker is "
                    + "mqtt://localhost:1883. A broker from --broker or SIGHTLINE_BROKER gets no credentials of a profile.",
                "sightline-server init prefers the profile.json beside the file that it writes to the user's profiles.",
            ], seeAlso: "sightline(1), sightline-status(1)")
    }

    private init(
        _ name: String, _ summary: String, _ example: ConfigurationExample,
        _ description: [String], seeAlso: String
    ) {
        var roff = Roff(title: name, section: 5, version: Version.current)
        roff.heading("NAME")
        roff.line(name + " \\- " + Roff.escaped(summary))
        roff.heading("DESCRIPTION")
        for words in description { roff.paragraph(words) }
        roff.heading("KEYS")
        roff.paragraph("All keys, with their defaults:")
        roff.example(
            example.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
        roff.heading("SEE ALSO")
        roff.line(Roff.escaped(seeAlso))
        page = roff.text
    }
}

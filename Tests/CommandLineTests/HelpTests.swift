import CommandLine
import Testing

@Suite struct HelpTests {
    @Test("the help is a table with all options and operands")
    func agent() {
        #expect(
            ParsingTests.agent.helpText() == """
                sightlined: hear beacons, publish sightings

                Usage: sightlined --config FILE [--output -] [--set KEY=VALUE]… [--check]

                Options:
                  -c, --config FILE    the file
                      --output -       where to
                      --set KEY=VALUE  a setting
                      --check          check only
                  -h, --help           show this text
                      --version        show the version

                """)
    }

    @Test("commands and arguments have separate tables")
    func tool() {
        #expect(
            ParsingTests.tool.helpText().contains(
                """
                Usage: sightline COMMAND

                Commands:
                  watch   watch
                  decode  decode

                """))
        #expect(
            ParsingTests.tool.subcommands[1].helpText().contains(
                """
                Usage: sightline decode CAPTURE [HEX]…

                Arguments:
                  CAPTURE  a capture
                  HEX      bytes

                """))
    }

    @Test("lines exceed the width only for longer words", arguments: [40, 80, 100])
    func width(columns: Int) {
        let command = Command(
            name: "x", summary: "a summary",
            options: (1...9).map {
                Option(
                    String(repeating: "o", count: $0 * 4), value: "VALUE",
                    help: String(repeating: "word ", count: $0 * 6))
            })
        let lines = command.helpText(width: columns).split(separator: "\n")
        #expect(
            lines.allSatisfy { $0.count <= columns || $0.contains("--ooooooooooooooooooooooo") })
        #expect(!lines.contains { $0.hasSuffix(" ") })
    }
}

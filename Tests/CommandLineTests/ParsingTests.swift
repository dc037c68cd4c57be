import CommandLine
import Testing

@Suite struct ParsingTests {
    static let agent = Command(
        name: "sightlined", summary: "hear beacons, publish sightings",
        options: [
            Option("config", short: "c", value: "FILE", help: "the file", isRequired: true),
            Option("output", value: "-", help: "where to"),
            Option("set", value: "KEY=VALUE", help: "a setting", isRepeatable: true),
            Option("check", help: "check only"),
        ])
    static let tool = Command(
        name: "sightline", summary: "the operator's tool",
        subcommands: [
            Command(
                name: "sightline watch", summary: "watch",
                options: [Option("site", value: "SITE", help: "one site")]),
            Command(
                name: "sightline decode", summary: "decode",
                operands: [
                    Operand("CAPTURE", help: "a capture"),
                    Operand("HEX", help: "bytes", isRequired: false, isRepeatable: true),
                ]),
        ])

    /// The parsed request as text, or the error.
    static func outcome(_ command: Command, _ arguments: [String]) -> String {
        do throws(UsageError) {
            switch try command.parse(arguments) {
            case .help(let command): return "help \(command.name)"
            case .version: return "version"
            case .run(let invocation):
                let options = invocation.command.options.filter { invocation.has($0.long) }.map {
                    "\($0.long)=\(invocation.all($0.long).joined(separator: ","))"
                }
                return ([invocation.command.name] + options + invocation.operands)
                    .joined(separator: " ")
            }
        } catch {
            return error.description
        }
    }

    @Test(
        "the agent's arguments are parsed, or refused by name",
        arguments: [
            (["--config", "f"], "sightlined config=f"),
            (["--config=f"], "sightlined config=f"),
            (["--config="], "sightlined config="),
            (["--config=a=b"], "sightlined config=a=b"),
            (["-c", "f"], "sightlined config=f"),
            (["-c", "-"], "sightlined config=-"),
            (["-c", "f", "--output", "-", "--check"], "sightlined config=f output=- check="),
            (["-c", "f", "--set", "a=1", "--set=b=2"], "sightlined config=f set=a=1,b=2"),
            (["--help", "--bogus"], "help sightlined"),
            (["-h"], "help sightlined"),
            (["--version"], "version"),
            ([], "--config FILE is required"),
            (["--config"], "--config needs a value: --config FILE"),
            (["--config", "--check"], "--config needs a value: --config FILE"),
            (["-c", "f", "--config", "g"], "--config is given twice"),
            (["-c", "f", "--check", "--check"], "--check is given twice"),
            (["-c", "f", "--check=yes"], "--check takes no value: “yes” is unexpected"),
            (["--confg", "f"], "“--confg” is no option of sightlined; did you mean --config?"),
            (["-config", "f"], "“-config” is no option of sightlined; did you mean --config?"),
            (
                ["-x"],
                "“-x” is no option of sightlined; expected --config, --output, --set, --check, --help, --version"
            ),
            (["-c", "f", "g"], "“g” is one argument too many; sightlined takes options only"),
            (["-c", "f", "-"], "“-” is one argument too many; sightlined takes options only"),
            (
                ["-c", "f", "--", "--check"],
                "“--check” is one argument too many; sightlined takes options only"
            ),
        ] as [([String], String)])
    func agent(arguments: [String], expected: String) {
        #expect(Self.outcome(Self.agent, arguments) == expected)
    }

    @Test(
        "a subcommand precedes its own options",
        arguments: [
            (["watch", "--site", "s"], "sightline watch site=s"),
            (["watch", "--help"], "help sightline watch"),
            (["--help"], "help sightline"),
            (["decode", "a"], "sightline decode a"),
            (["decode", "a", "b", "c"], "sightline decode a b c"),
            (["decode", "--", "--help", "--"], "sightline decode --help --"),
            (["decode"], "CAPTURE is missing"),
            ([], "a command is missing; expected one of watch, decode"),
            (["wacth"], "“wacth” is no command of sightline; did you mean watch?"),
            (["x"], "“x” is no command of sightline; expected one of watch, decode"),
            (
                ["--site", "s", "watch"],
                "“--site” is no option of sightline; expected --help, --version"
            ),
            (
                ["watch", "--wite", "s"],
                "“--wite” is no option of sightline watch; did you mean --site?"
            ),
            (
                ["watch", "--host", "s"],
                "“--host” is no option of sightline watch; expected --site, --help, --version"
            ),
            (["watch", "x"], "“x” is one argument too many; sightline watch takes options only"),
        ] as [([String], String)])
    func tool(arguments: [String], expected: String) {
        #expect(Self.outcome(Self.tool, arguments) == expected)
    }
}

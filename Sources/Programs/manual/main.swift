import Agent
import CommandLine
import Contract
import Documentation
import Glibc
import Posix
import Server
import Subcommands

/// Ends with a sentence: 1 for a failure, 2 for wrong use.
func fail(_ sentence: String, _ code: CInt = 1) -> Never {
    try? Descriptor.writeAll(Array("manual: \(sentence)\n".utf8), to: STDERR_FILENO)
    exit(code)
}

/// Ends with a text on standard output.
func finish(_ text: String) -> Never {
    try? Descriptor.writeAll(Array(text.utf8), to: STDOUT_FILENO)
    exit(0)
}

func write(_ text: String, to path: String) {
    do throws(Errno) {
        try File.replace(path, with: Array(text.utf8))
    } catch {
        fail("\(path): can't be written: \(error)")
    }
}

let command = Command(
    name: "manual", summary: "writes all files that are generated from declarations",
    options: [
        Option(
            "generate",
            help: "write the committed files: the examples of the configuration and the schemas")
    ],
    operands: [
        Operand(
            "FOLDER",
            help: "make this folder, with the man pages, and completions for bash, zsh and fish",
            isRequired: false)
    ])

let invocation: Invocation
do throws(UsageError) {
    switch try command.parse(CommandLine.arguments.dropFirst()) {
    case .help(let command): finish(command.helpText())
    case .version: finish("manual \(Version.full)\n")
    case .run(let parsed): invocation = parsed
    }
} catch {
    fail("\(error); see 'manual --help'", 2)
}
let folder = invocation.operands.first ?? ""
guard invocation.has("generate") != !folder.isEmpty else {
    fail("expected either FOLDER or --generate; see 'manual --help'", 2)
}
if invocation.has("generate") {
    for file in GeneratedFile.all { write(file.text, to: file.path) }
    exit(0)
}

do throws(Errno) {
    try File.makeFolders(folder)
} catch {
    fail("\(folder): can't be made: \(error)")
}

let agent = Daemon.command
let tool = Sightline.command
let server = SightlineServer.command
let administration = ([agent, server] + server.subcommands).map { ($0, 8) }
for (command, section) in administration + ([tool] + tool.subcommands).map({ ($0, 1) }) {
    let name = command.name.split(separator: " ").joined(separator: "-")
    write(
        command.manualPage(section: section, version: Version.current),
        to: "\(folder)/\(name).\(section)")
}
write(ConfigurationManual.agent.page, to: "\(folder)/sightlined.json.5")
write(ConfigurationManual.server.page, to: "\(folder)/sightline-server.json.5")
write(ConfigurationManual.profile.page, to: "\(folder)/sightline-profile.json.5")
for command in [agent, server, tool] {
    write(command.bashCompletion, to: "\(folder)/\(command.name).bash")
    write(command.zshCompletion, to: "\(folder)/_\(command.name)")
    write(command.fishCompletion, to: "\(folder)/\(command.name).fish")
}

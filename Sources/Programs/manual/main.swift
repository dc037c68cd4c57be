import Agent
import CommandLine
import Contract
import Documentation
import Glibc
import Posix
import Server
import SightlineTool

// Writes all that is generated from declarations:
//
//     manual FOLDER       man pages, and completions for bash, zsh and fish, which a package ships; makes the folder
//     manual --generate   the committed files: the example of the configuration, its schemas

/// Ends with a sentence.
func fail(_ sentence: String) -> Never {
    try? Descriptor.writeAll(Array("manual: \(sentence)\n".utf8), to: STDERR_FILENO)
    exit(1)
}

func write(_ text: String, to path: String) {
    do throws(Errno) {
        try File.replace(path, with: Array(text.utf8))
    } catch {
        fail("\(path): can't be written: \(error)")
    }
}

let arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.first, arguments.count == 1 else {
    fail("expected a folder to write to, or --generate")
}
if folder == "--generate" {
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

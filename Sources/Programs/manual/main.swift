import Agent
import CommandLine
import Configuration
import Contract
import Glibc
import Operator
import Posix

// Writes what a package ships beside the programs, all from the tables that `--help` is made of: man pages, and
// completions for bash and zsh.

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
guard let example = arguments.first, let folder = arguments.last, arguments.count == 2 else {
    fail("expected the example of a configuration, and a folder to write to")
}
let configuration: [UInt8]
do throws(Errno) {
    configuration = try File.contents(of: example, maxBytes: 1 << 20)
} catch {
    fail("\(example): can't be read: \(error)")
}

let agent = Daemon.command
let tool = Sightline.command
for (command, section) in [(agent, 8), (tool, 1)] + tool.subcommands.map({ ($0, 1) }) {
    let name = command.name.split(separator: " ").joined(separator: "-")
    write(
        command.manualPage(section: section, version: Version.current),
        to: "\(folder)/\(name).\(section)")
}
write(
    ConfigurationManual.page(example: String(decoding: configuration, as: UTF8.self)),
    to: "\(folder)/sightlined.json.5")
for command in [agent, tool] {
    write(command.bashCompletion, to: "\(folder)/\(command.name).bash")
    write(command.zshCompletion, to: "\(folder)/_\(command.name)")
}

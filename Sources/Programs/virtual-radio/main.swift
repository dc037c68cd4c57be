import CommandLine
import Contract
import Glibc
import Posix
import VirtualRadio

/// Exit codes: done, failed, wrong use or scenario.
enum Exit {
    static let done: CInt = 0
    static let failed: CInt = 1
    static let wrongUse: CInt = 2
}

/// Writes to a standard descriptor without buffering: the reader of a pipe waits for the line.
func say(_ text: String, to descriptor: CInt = STDOUT_FILENO) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
    }
}

func fail(_ sentence: String, _ code: CInt) -> Never {
    say("virtual-radio: \(sentence)\n", to: STDERR_FILENO)
    exit(code)
}

StandardDescriptors.fill()
let request: ParsedArguments
do throws(UsageError) {
    request = try RadioOptions.command.parse(CommandLine.arguments.dropFirst())
} catch {
    fail("\(error)", Exit.wrongUse)
}
switch request {
case .help(let command): say(command.helpText())
case .version: say("virtual-radio \(Version.full)\n")
case .run(let invocation):
    do throws(UsageError) {
        run(try RadioOptions(invocation))
    } catch {
        fail("\(error)", Exit.wrongUse)
    }
}

import CommandLine
import HCI
import Primitives
import Terminal

/// `sightline decode`: decodes the advertisements of captures, or of bytes on the command line.
package struct DecodeCommand: Subcommand {
    package static let command = Command(
        name: "sightline decode", summary: "decodes advertisements of captures, or byte by byte",
        options: [
            Option("all", help: "show every advertising report of a capture, one per line"),
            Option("json", help: "write JSON, one object per line"),
        ],
        operands: [
            Operand(
                "INPUT",
                help: "btsnoop captures, as btmon -w and Android phones write them (FILE#hci1: of"
                    + " one adapter); or hexadecimal digits, in one argument or many: an HCI event, with or without its H4 type"
                    + " byte, or advertising data",
                isRepeatable: true, completion: .file)
        ], manual: manual)

    enum Input: Equatable {
        case captures([String])
        case bytes([UInt8])
    }

    let input: Input
    let all: Bool
    let json: Bool

    package init(_ invocation: Invocation) throws(UsageError) {
        try self.init(invocation, isFile: Self.isFile)
    }

    /// - Parameter isFile: whether a file with this name exists.
    init(_ invocation: Invocation, isFile: (String) -> Bool) throws(UsageError) {
        input = try Self.input(invocation.operands, isFile)
        all = invocation.has("all")
        json = invocation.has("json")
        if all, case .bytes = input {
            throw UsageError("--all is for captures; bytes are always shown in full")
        }
    }

    private static func input(
        _ operands: [String], _ isFile: (String) -> Bool
    ) throws(UsageError) -> Input {
        // A file name is a file, even if it consists of digits.
        if operands.contains(where: { isFile($0) || looksLikePath($0) }) {
            return .captures(operands)
        }
        let text = operands.joined(separator: " ")
        do throws(Hexadecimal.Fault) {
            return .bytes(try Hexadecimal.bytes(of: text))
        } catch {
            throw UsageError(sentence(for: error, in: text))
        }
    }

    private static func sentence(for fault: Hexadecimal.Fault, in text: String) -> String {
        let name = "“\(text.printable(limit: 24))”"
        return switch fault {
        case .unexpected(let character, let place):
            "\(name) is not a file, and “\(String(character).printable())” at character \(place) is not a hexadecimal digit"
        case .odd(let digits):
            "\(name) has \(digits) hexadecimal digits; an even number was expected"
        case .empty: "\(name) is neither a file nor hexadecimal digits"
        }
    }

    private static func looksLikePath(_ text: String) -> Bool {
        text.contains("/") || text.contains(".")
    }

    private static func isFile(_ path: String) -> Bool {
        // Without open(2): a pipe would wait for its other end.
        FileKind(path: path) != .nothing
    }

    package func run(to output: inout StandardOutput) -> ExitCode {
        var errors: [String] = []
        let status = run(to: &output) { errors.append($0) }
        // Results come before errors, also where both streams go to one terminal.
        output.flush()
        errors.forEach(StandardOutput.report)
        return status
    }

    /// Writes the results to `output` and the errors to `report`.
    func run(
        to output: inout some TextOutputStream, report: (String) -> Void
    ) -> ExitCode {
        switch input {
        case .bytes(let bytes):
            let dissection = Dissection(bytes)
            if json {
                print(dissection.json.text, to: &output)
            } else {
                dissection.lines.forEach { print($0, to: &output) }
            }
            guard let fault = dissection.fault else { return .done }
            let isLikeUUID = bytes.count == 16 && dissection.kind == .advertisingData
            report(
                fault
                    + (isLikeUUID ? "; the bytes look like a UUID, not like an advertisement" : ""))
            return .failed
        case .captures(let paths):
            var status = ExitCode.done
            for (index, path) in paths.enumerated() {
                if index > 0, !json { print("", to: &output) }
                if let failure = readCapture(path, to: &output) {
                    report(failure)
                    status = .failed
                }
            }
            return status
        }
    }
}

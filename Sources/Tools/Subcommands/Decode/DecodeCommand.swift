import Beacons
import CommandLine
import HCI
import Posix
import Primitives
import Radio
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
            "\(name) is not a file, and “\(String(character).printable())” at character \(place) is not a "
                + "hexadecimal digit"
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

extension DecodeCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Reads captures (btsnoop, from btmon(1) with -w or an Android phone) and writes the beacons with their "
                + "number of reports and RSSI. With hexadecimal bytes, it writes the fields of one advertisement. It "
                + "shows no device addresses and names."
        ], exitCodes: ExitCode.manual,
        examples: [
            .init("sightline decode capture.btsnoop", "Summarise a capture:"),
            .init(
                "sightline decode 0201061aff4c000215...", "Decode one advertisement, byte by byte:"),
        ], seeAlso: ["sightline(1)", "btmon(1)"])
}

extension DecodeCommand {
    private struct Unreadable: Error {
        let message: String
    }

    /// Reads a capture to its end, or up to a damaged packet. The output has everything before it.
    ///
    /// - Returns: the error.
    func readCapture(_ path: String, to output: inout some TextOutputStream) -> String? {
        let name = path.printable(limit: 1000)
        let kind: String
        let capture = CaptureName(parsing: path)
        do throws(Unreadable) { kind = try Self.kind(of: capture.path) } catch {
            return error.message.printable(limit: 1000)
        }
        var summary = CaptureSummary()
        var reassembly = Reassembly()
        var failure: String?
        do throws(Replay.Failure) {
            try Replay(capture).play { event, record in
                let time = record.instant
                let reports = EventReports(event, &reassembly, at: time)
                summary.on(record, reports)
                if all, let reports { show(reports, at: time, to: &output) }
                return true
            }
        } catch {
            failure = error.description.printable(limit: 1000)
        }
        if !all {
            let lines =
                json
                ? summary.json(file: name, kind: kind).map(\.text)
                : summary.lines(file: name, kind: kind)
            lines.forEach { print($0, to: &output) }
        }
        return failure
    }

    private func show(
        _ event: EventReports, at time: Instant, to output: inout some TextOutputStream
    ) {
        for report in event.reports {
            print(json ? report.json(at: time).text : report.line(at: time), to: &output)
        }
        guard let offset = event.malformedAt else { return }
        let line =
            json
            ? event.malformedJSON(offset: offset, at: time).text
            : event.malformedLine(offset: offset, at: time)
        print(line, to: &output)
    }

    /// The format of the packets in the capture.
    private static func kind(of path: String) throws(Unreadable) -> String {
        switch FileKind(path: path) {
        case .nothing, .file: break
        case .empty: throw Unreadable(message: "\(path) is empty")
        case .other(let name):
            throw Unreadable(message: "\(path) is \(name); a capture must be a regular file")
        }
        let header: [UInt8]
        do throws(Errno) {
            header = try MappedFile(path: path).withBytes { Array($0.prefix(16)) }
        } catch {
            throw Unreadable(message: "\(path): \(error)")
        }
        do throws(Btsnoop.Failure) {
            let capture = try header.withBytes { bytes throws(Btsnoop.Failure) in
                try Btsnoop(bytes)
            }
            return switch capture.link {
            case .hci: "bare HCI packets"
            case .h4: "H4"
            case .monitor: "Linux monitor"
            }
        } catch {
            throw Unreadable(message: "\(path): \(error)")
        }
    }
}

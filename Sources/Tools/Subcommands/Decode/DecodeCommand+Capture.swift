import Beacons
import HCI
import Posix
import Primitives
import Radio

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

import Contract
import JSON
import Posix
import Primitives
import Terminal

/// A measurement of messages in files, line by line.
protocol RecordedRun {
    var counts: InputSummary { get set }

    /// Takes a message.
    ///
    /// - Parameter topics: name the site and the gateway, as for the server; without them, the message does.
    /// - Returns: its fault.
    mutating func take(_ message: SightingsMessage, from topics: Topics?) -> String?

    /// Results that later messages can't change, and of the present if there are some.
    mutating func advance() -> [JSON]
}

extension RecordedRun {
    /// Takes a line of input.
    ///
    /// - Returns: the fault of an invalid line.
    mutating func take(_ line: ArraySlice<UInt8>) -> String? {
        let line = InputLine(line)
        counts.note(line)
        switch line {
        case .blank, .other: return nil
        case .invalid: return fault("neither a message nor a topic with a message")
        case .sightings(let bytes, let topics):
            do throws(Faults) {
                return take(try SightingsMessage(decoding: bytes), from: topics)
            } catch {
                let first = error.list.first
                let place = first?.pointer.description ?? ""
                return fault((place.isEmpty ? "" : place + ": ") + (first?.message ?? "invalid"))
            }
        }
    }

    mutating func fault(_ sentence: String) -> String {
        counts.noteInvalid()
        return sentence
    }

    /// Reads files, and writes faults to `report`.
    ///
    /// - Parameter isLive: whether results are written while the input is read.
    mutating func read(
        _ inputs: [String], isLive: Bool, to output: inout StandardOutput,
        report: (String) -> Void
    ) -> ExitCode {
        var status = ExitCode.done
        for path in inputs {
            do throws(TextFile.Unreadable) {
                let lines = try LineReader(path: path)
                while output.failure == nil, let line = try lines.next() {
                    if let fault = take(line), counts.invalid <= InputSummary.mostFaults {
                        let place = "\(path.printable(limit: 1000)):\(lines.number)"
                        report("\(place): \(fault.printable(limit: 200))")
                    }
                    guard isLive else { continue }
                    let results = advance()
                    for result in results {
                        output.write(bytes: result.bytes + [UInt8(ascii: "\n")])
                    }
                    if !results.isEmpty { output.flush() }
                }
            } catch {
                let name = path == "-" ? "standard input" : path.printable(limit: 1000)
                report("\(name): can't be read: \(error)")
                status = .failed
            }
        }
        return status
    }

    /// Reports what the input lacks.
    func conclude(_ status: ExitCode, report: (String) -> Void) -> ExitCode {
        let unnamed = counts.invalid - InputSummary.mostFaults
        if unnamed > 0 { report("\(count(unnamed, "more invalid line")) not shown") }
        if let reason = counts.reasonNoneCounts { report(reason) }
        guard counts.invalid > 0, counts.messages == 0 else { return status }
        report(
            "the input has no valid message of the topic sightings: give the output of"
                + " 'sightlined --output -', 'mosquitto_sub -v' or 'sightline watch --json'")
        return .failed
    }
}

import Glibc
import Posix
import VirtualRadio

/// Writes a capture for each gateway, and the truth.
func write(
    _ captures: RadioOptions.Captures, of scenario: Scenario, _ options: RadioOptions
) {
    let ids = captures.gateways.isEmpty ? scenario.gateways.map(\.id) : captures.gateways
    for id in ids {
        guard let gateway = scenario.gateway(id) else {
            let known = scenario.gateways.map(\.id)
            let error = Station.UnknownGateway(id: id, known: known)
            fail("\(options.scenarioPath): \(error)", Exit.wrongUse)
        }
        let path = "\(captures.folder)/\(id).btsnoop"
        do throws(Errno) {
            let writer = try CaptureWriter(scenario, gateway: gateway, path: path)
            try writer.write(from: captures.time.lowerBound, to: captures.time.upperBound)
            say("\(path): \(writer.reports) reports\n")
        } catch {
            fail("\(path): \(error)", Exit.failed)
        }
    }
    guard let path = options.truthPath else { return }
    do throws(Errno) {
        try TruthWriter(Truth(scenario), path: path)
            .write(from: captures.time.lowerBound, to: captures.time.upperBound)
    } catch {
        fail("\(path): \(error)", Exit.failed)
    }
}

/// The program's standard output, on which several threads write whole lines.
final class LineOutput: Sendable {
    private let descriptor = Guarded(STDOUT_FILENO)

    /// How long the reader of a full pipe may take, in milliseconds. After that the line is
    /// dropped: the radio continues.
    private static let patience = 5000

    /// Writes a line without buffering.
    func write(_ line: String) {
        descriptor.withLock { descriptor in
            let interest = Poll.Interest(descriptor, .output)
            let happened = try? Poll.wait(for: [interest], timeout: Self.patience)
            if happened?.first?.contains(.output) == true { say(line) }
        }
    }
}

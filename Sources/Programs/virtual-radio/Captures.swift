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

import Glibc
import Messages
import Posix
import VirtualRadio

/// Serves hosts until a signal or the end of its time, then writes the tally.
func serve(_ options: RadioOptions) {
    let scenario = readScenario(options.scenarioPath)
    do throws(Errno) {
        let signals = try Signals([SIGINT, SIGTERM])
        let service = try RadioService(makeStation(scenario, options), at: options.place)
        if case .socket(let address) = try service.address() { say("listening on \(address)\n") }
        let life = options.seconds.map { Int64($0 * 1_000_000) }
        try service.run(
            stop: signals.descriptor.rawValue, deadline: life.map { Clocks.boot + $0 } ?? .max)
        if let path = options.tallyPath {
            var station = service.station
            try write(station.tally().json, to: path)
        }
    } catch {
        switch options.place {
        case .socket(let address): fail("\(address): \(error)", Exit.failed)
        case .vhci(let path):
            fail("\(path): \(error); it needs root and the module hci_vhci", Exit.failed)
        }
    }
}

private func readScenario(_ path: String) -> Scenario {
    let bytes: [UInt8]
    do throws(Errno) {
        bytes = try MappedFile(path: path).withBytes { Array($0) }
    } catch {
        fail("\(path): \(error)", Exit.wrongUse)
    }
    do throws(Faults) {
        return try Scenario(parsing: bytes)
    } catch {
        let lines = error.list.map { fault in
            "virtual-radio: \(path): \(fault.pointer): \(fault.message)\n"
        }
        say(lines.joined(), to: STDERR_FILENO)
        exit(Exit.wrongUse)
    }
}

private func makeStation(_ scenario: Scenario, _ options: RadioOptions) -> Station {
    let configuration = SimulatedController.Configuration(
        family: options.family,
        address: options.address ?? SimulatedController.Configuration.address(of: options.gateway))
    do throws(Station.UnknownGateway) {
        return try Station(
            live: scenario, gateway: options.gateway, configuration: configuration,
            faults: options.faults)
    } catch {
        fail("\(options.scenarioPath): \(error)", Exit.wrongUse)
    }
}

private func write(_ text: String, to path: String) throws(Errno) {
    let file = try Descriptor(from: {
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    })
    try file.writeAll(Array(text.utf8))
}

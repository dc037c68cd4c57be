import Configuration
import HCI
import JSON
import Posix
import Primitives
import Radio
import VirtualRadio

/// The virtual radio as a source: the world of a scenario, at the place of this gateway.
final class Simulation {
    /// Why a scenario can't be used: one line for each fault.
    struct Unusable: Error {
        let lines: [String]
    }

    private let scenario: Scenario
    private let gateway: String
    private let timing: ScanTiming
    private let source: ControllerSource
    private let begun = Instant.now
    private var radio: VirtualRadio?

    /// Reads the scenario.
    init(
        _ path: String, gateway: String, timing: ScanTiming = .continuous
    ) throws(Unusable) {
        scenario = try Self.read(path)
        self.gateway = gateway
        self.timing = timing
        source = .stream(name: "sim:\(path)")
        do throws(Station.UnknownGateway) { _ = try station() } catch {
            throw Unusable(lines: [
                "\(path): \(error); the configuration key gateway.id selects one"
            ])
        }
    }

    deinit { stop() }

    /// Starts a virtual radio, and stops the former one.
    func open(_ advertising: DesiredAdvertising, at now: Instant) throws(RadioFailure) -> LiveRadio
    {
        stop()
        let end: Descriptor?
        do throws(Errno) {
            let radio = try VirtualRadio(try live())
            end = radio.takeAgentEnd()
            self.radio = radio
        } catch {
            throw RadioFailure.system(error, source)
        }
        guard let end else { throw RadioFailure.system(.connectionReset, source) }
        return try LiveRadio(
            StreamTransport(end, source: source), source: source, timing: timing,
            advertising: advertising, at: now)
    }

    private func stop() {
        _ = radio?.stop()
        radio = nil
    }

    private func live() throws(Errno) -> Station {
        // The initialiser has checked that the scenario has the gateway.
        do throws(Station.UnknownGateway) { return try station() } catch {
            throw .invalidArgument
        }
    }

    private func station() throws(Station.UnknownGateway) -> Station {
        try Station(
            live: scenario, gateway: gateway,
            configuration: .init(
                family: .extended, address: SimulatedController.Configuration.address(of: gateway)),
            begun: begun)
    }

    private static func read(_ path: String) throws(Unusable) -> Scenario {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try File.contents(of: path, maxBytes: Scenario.maxBytes)
        } catch {
            throw Unusable(lines: ["\(path): can't read the scenario: \(error)"])
        }
        do throws(Faults) { return try Scenario(parsing: bytes) } catch {
            throw Unusable(lines: error.list.map { $0.line(of: path) })
        }
    }
}

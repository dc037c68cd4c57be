import Glibc
import Posix
import Primitives

/// A place where a station serves one host after the other: a socket, or an adapter of the kernel's.
package final class RadioService: Sendable {
    /// Where hosts find it.
    package enum Place: Equatable, Sendable {
        case socket(Sockets.Address)
        case vhci(path: String)
    }

    private let listener: Descriptor?
    private let place: Place
    private let keepsPower: Bool
    private let presence: AirPresence

    private enum Timing {
        /// The interval of clock readings without a connection, in milliseconds.
        static let idle = 50
    }

    /// Listens at `place`. `run` makes the adapter of `vhci`.
    ///
    /// - Parameters:
    ///   - air: connects the station with the other stations of this process.
    ///   - keepsPower: whether the controller stays powered and advertising between hosts. Otherwise
    ///     it loses its power with the connection.
    ///   - announce: receives every change of the advertisements on the service's thread, before the
    ///     host receives its answer.
    package init(
        at place: Place, air: SharedAir = SharedAir(), keepsPower: Bool = false,
        announce: @escaping @Sendable ([OnAir]) -> Void = { _ in }
    ) throws(Errno) {
        self.place = place
        self.keepsPower = keepsPower
        presence = AirPresence(air, announce: announce)
        switch place {
        case .socket(let address):
            Self.removeAbandoned(address)
            listener = try Sockets.listen(on: address)
        case .vhci: listener = nil
        }
    }

    deinit {
        if case .socket(.unix(let path)) = place { unlink(path) }
    }

    /// Removes the socket file of a killed process.
    private static func removeAbandoned(_ address: Sockets.Address) {
        guard case .unix(let path) = address else { return }
        do throws(Errno) {
            try Sockets.connect(to: address).close()
        } catch {
            if error == .connectionRefused { unlink(path) }
        }
    }

    /// Where it listens; with the port that the kernel chose when the port asked for was 0.
    package func address() throws(Errno) -> Place {
        guard case .socket(.tcp(let host, _)) = place, listener != nil else { return place }
        return .socket(.tcp(host: host, port: try port()))
    }

    private func port() throws(Errno) -> UInt16 {
        switch listener {
        case .some(let listener): try Sockets.port(of: listener)
        case .none: 0
        }
    }

    /// Serves until `stop` becomes readable or `deadline` (boot clock) has come.
    ///
    /// The station must be a live one, and is off the air afterwards.
    package func run(
        _ station: inout Station, stop: CInt, deadline: Instant? = nil
    ) throws(Errno) {
        defer { presence.end(station) }
        while deadline.map({ .now < $0 }) ?? true {
            // Without a host, time passes and reports are dropped.
            let now = presence.look(&station)
            station.advance(to: now, reporting: false)
            _ = station.takeOutput()
            presence.announce(&station)
            if let connection = try connect(station.isClosed(at: now)) {
                var connection = connection
                station.hostHasCome(at: Clocks.wall)
                let ending = connection.serve(&station, stop: stop, deadline: deadline)
                if ending == .stopped || ending == .timeIsUp { return }
                station.hostIsGone(keepingPower: keepsPower)
                presence.announce(&station)
                if case .failed(let error) = ending { throw error }
                continue
            }
            let happened = try Poll.wait(for: [Poll.Interest(stop)], timeout: Timing.idle)
            if !happened[0].isEmpty { return }
        }
    }

    /// The next host, if there is one and it may have the radio.
    private func connect(_ isClosed: Bool) throws(Errno) -> HostConnection? {
        switch place {
        case .vhci(let path):
            return isClosed ? nil : HostConnection(try VHCI.open(path), .packets, presence)
        case .socket:
            guard let caller = try accept() else { return nil }
            return isClosed ? nil : HostConnection(caller, .stream, presence)
        }
    }

    private func accept() throws(Errno) -> Descriptor? {
        switch listener {
        case .some(let listener): try Sockets.accept(on: listener)
        case .none: nil
        }
    }
}

extension Station {
    /// A station on the machine's clocks: the boot clock for the radio, the wall clock for the
    /// people. A new connection does not restart the misbehaviours.
    package init(
        live scenario: Scenario, gateway: String,
        configuration: SimulatedController.Configuration, faults: [Misbehaviour] = []
    ) throws(UnknownGateway) {
        let now = Instant.now
        var scenario = scenario
        let faults = scenario.faults + faults
        scenario.faults = []
        try self.init(
            scenario, gateway: gateway, configuration: configuration, faults: faults,
            start: now, worldTime: scenario.worldTime(at: now + Clocks.wallMinusBoot))
    }
}

/// The kernel's virtual HCI device: a process that opens it becomes the controller of a new adapter
/// (drivers/bluetooth/hci_vhci.c).
enum VHCI {
    /// The type byte of packets between the device and its owner that are not HCI.
    static let vendorPacket: UInt8 = 0xff
    /// A primary controller, without any quirk.
    private static let createPrimary: UInt8 = 0x00

    /// Opens the device and asks for an adapter.
    static func open(_ path: String) throws(Errno) -> Descriptor {
        let descriptor = try Descriptor(from: { Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) })
        try descriptor.writeAll([vendorPacket, createPrimary])
        return descriptor
    }
}

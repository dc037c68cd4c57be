import Glibc
import Posix

/// A station that serves one host after the other, on a socket or as an adapter of the kernel's.
package final class RadioService {
    /// Where hosts find it.
    package enum Place: Equatable, Sendable {
        case socket(Sockets.Address)
        case vhci(path: String)
    }

    package private(set) var station: Station
    private let listener: Descriptor?
    private let place: Place

    private enum Timing {
        /// Between two looks at the time while nobody is connected, in milliseconds.
        static let idle = 50
    }

    /// Listens; the adapter of `vhci` is made by `run`.
    package init(_ station: Station, at place: Place) throws(Errno) {
        self.station = station
        self.place = place
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

    /// Removes the socket file of somebody who was killed: one that nobody listens at.
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

    /// Serves until `stop` becomes readable or `deadline` (boot clock, microseconds) has come.
    package func run(stop: CInt, deadline: Int64 = .max) throws(Errno) {
        while Clocks.boot < deadline {
            let now = Clocks.boot
            // Nobody is connected: time goes on, unheard.
            station.advance(to: now, reporting: false)
            _ = station.takeOutput()
            let isClosed = station.isClosed(at: now)
            if let connection = try connect(isClosed) {
                station.powerCycle()
                var connection = connection
                switch connection.serve(&station, stop: stop, deadline: deadline) {
                case .stopped, .timeIsUp: return
                case .hostIsGone, .dropped: continue
                case .failed(let error): throw error
                }
            }
            let happened = try Poll.wait(for: [Poll.Interest(stop)], timeout: Timing.idle)
            if !happened[0].isEmpty { return }
        }
    }

    /// The next host, if there is one and it may have the radio.
    private func connect(_ isClosed: Bool) throws(Errno) -> Connection? {
        switch place {
        case .vhci(let path):
            return isClosed ? nil : Connection(try VHCI.open(path), .packets)
        case .socket:
            guard let caller = try accept() else { return nil }
            return isClosed ? nil : Connection(caller, .stream)
        }
    }

    private func accept() throws(Errno) -> Descriptor? {
        switch listener {
        case .some(let listener): try Sockets.accept(on: listener)
        case .none: nil
        }
    }
}

import Posix

/// A station that lives in a thread of its own, at the other end of a socket pair.
///
/// It ends when it is stopped, or when the agent's end is closed; `stop` must be called in either case.
package final class VirtualRadio {
    /// What the thread and its owner share.
    private final class Shared: Sendable {
        let stop: EventCounter
        let tally = Guarded<Tally?>(nil)

        init() throws(Errno) { stop = try EventCounter() }
    }

    /// Hands the station's end of the socket to the thread.
    private final class Passage: Sendable {
        private let descriptor: Guarded<CInt>

        init(_ descriptor: CInt) { self.descriptor = Guarded(descriptor) }

        deinit {
            let left = take()
            if left != -1 { Descriptor(owning: left).close() }
        }

        /// The descriptor's number, at the first call only.
        func take() -> CInt {
            descriptor.withLock { number in
                defer { number = -1 }
                return number
            }
        }
    }

    private let shared: Shared
    private var thread: Thread?
    private var agentEnd: Descriptor?

    /// Starts the station, which must be a live one.
    ///
    /// - Parameter air: where it hears the other stations of this process, and they hear it.
    package init(_ station: Station, air: SharedAir = SharedAir()) throws(Errno) {
        let shared = try Shared()
        self.shared = shared
        let (near, far) = try Sockets.pair()
        agentEnd = Descriptor(owning: near)
        let passage = Passage(far)
        thread = try Thread(name: "virtual-radio") {
            var station = station
            let presence = AirPresence(air)
            var connection = HostConnection(Descriptor(owning: passage.take()), .stream, presence)
            let stop = shared.stop.descriptor.rawValue
            _ = connection.serve(&station, stop: stop, deadline: nil)
            presence.end(station)
            let tally = station.tally()
            shared.tally.withLock { $0 = tally }
        }
    }

    /// The agent's end of the stream, H4; `nil` when it has been taken before.
    package func takeAgentEnd() -> Descriptor? { agentEnd.take() }

    /// Ends the thread, and says what there was to hear.
    package func stop() -> Tally? {
        shared.stop.signal()
        thread.take()?.join()
        return shared.tally.withLock { $0 }
    }
}

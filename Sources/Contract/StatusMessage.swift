import JSON
import Primitives
import Sightings

/// The retained message of the topic `status`, and the will.
///
///     {"v":1,"state":"online","session":"…","at":1780000000000,"version":"0.1.0","clock":"synced"}
package struct StatusMessage: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case online
        /// Online, but the radio is deaf, or something is known to be wrong with it.
        case degraded
        case offline
    }

    package let state: State
    /// The session that it belongs to: an old will can't mask a new session.
    package let session: String
    /// When it was written; of a will, when the connection began.
    package let at: UnixTime
    /// The agent's version.
    package let version: String
    package let clock: ClockState

    package init(
        state: State, session: String, at: UnixTime, version: String, clock: ClockState
    ) {
        self.state = state
        self.session = session
        self.at = at
        self.version = version
        self.clock = clock
    }

    /// The message's bytes.
    package var encoded: [UInt8] {
        JSON.object([
            .init("v", 1),
            .init("state", .string(state.rawValue)),
            .init("session", .string(session)),
            .init("at", .integer(at.milliseconds)),
            .init("version", .string(version)),
            .init("clock", .string(clock.rawValue)),
        ]).bytes
    }

    /// Reads a message; it ignores members beyond the contract.
    package init(decoding bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: 65_536, unknownKeys: .areIgnored
        ) { reader in
            _ = reader.integer("v", in: 1...1)
            // Reads all members before it throws, to collect every fault.
            let state = reader.choice("state", of: State.self)
            let session = reader.string("session")
            let at = UnixTime(milliseconds: reader.integer("at", in: 0...Int64.max))
            let version = reader.string("version")
            let clock = reader.choice("clock", of: ClockState.self)
            guard let state, let clock else { return nil }
            return StatusMessage(
                state: state, session: session, at: at, version: version, clock: clock)
        }
    }
}

import Contract
import Primitives
import Subscriber

/// The spells in which gateways' radios heard no beacon: to be told at their beginning and their end, so that a quiet
/// shop differs from a dead one.
struct QuietSpells {
    /// From the first window's start to the last one's end, in milliseconds since the Unix epoch.
    private var spells: [GatewayName: (start: Int64, end: Int64)] = [:]

    /// Takes a batch.
    ///
    /// - Returns: a sentence for what changed, behind the gateway's name; `nil` when nothing did.
    mutating func on(_ message: SightingsMessage, of gateway: GatewayName) -> String? {
        let spell = spells[gateway]
        // A backlog's windows, and the later parts of one that was told in parts.
        if let spell, message.windowStart < spell.end { return nil }
        if message.sightings.isEmpty, message.state == .hearing {
            spells[gateway] = (spell?.start ?? message.windowStart, message.windowEnd)
            return spell == nil ? "hears no beacon" : nil
        }
        guard let spell else { return nil }
        spells[gateway] = nil
        return "heard no beacon from \(Self.clock(spell.start)) to \(Self.clock(spell.end))"
    }

    /// The gateway is not known any more, or what it hears now is not known.
    mutating func forget(_ gateway: GatewayName) { spells[gateway] = nil }

    /// The watcher itself did not hear the gateways for a while.
    mutating func interrupt() { spells = [:] }

    private static func clock(_ milliseconds: Int64) -> String {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        return UTCTime(microseconds: overflow ? .max : microseconds).clock
    }
}

import Contract
import JSON
import Primitives
import Subscriber

/// Decodes messages from the broker, updates the model, and makes the output lines.
struct MessageReader {
    let root: String
    private(set) var model = WatchModel()
    /// Messages on a gateway's topics that violate the contract.
    private(set) var unreadable = 0
    private var idle = IdlePeriods()

    init(root: String) { self.root = root }

    /// - Parameter wallMs: this machine's wall clock.
    /// - Returns: the output without a terminal.
    mutating func on(
        topic: String, payload: [UInt8], at now: Instant, wallMs: Int64
    ) -> [String] {
        guard let (topics, kind) = Topics.parse(topic, root: root) else { return [] }
        let gateway = GatewayName(site: topics.site, id: topics.gateway)
        do throws(Faults) {
            switch kind {
            case .status:
                // The empty message removes a retained one.
                guard !payload.isEmpty else {
                    model.forget(gateway)
                    idle.forget(gateway)
                    return []
                }
                let message = try StatusMessage(decoding: payload)
                if message.state == .offline { idle.forget(gateway) }
                return model.on(message, of: gateway)
                    .map { PlainLines.line($0, atMs: wallMs) }
            case .sightings:
                let message = try SightingsMessage(decoding: payload)
                let notices = model.on(message, of: gateway, at: now, wallMs: wallMs)
                // The model limits the number of gateways.
                let period =
                    model.gateways[gateway] == nil ? nil : idle.on(message, of: gateway)
                return notices.map { PlainLines.line($0, atMs: wallMs) }
                    + [period].compactMap(\.self).map {
                        PlainLines.line($0, of: gateway, atMs: wallMs)
                    } + PlainLines.lines(message, of: gateway)
            case .health, .reported, .trackers: return []
            }
        } catch {
            unreadable += 1
            let fault = error.list.first?.message ?? "unknown error"
            return [
                PlainLines.line(
                    "sent an invalid message: \(fault.printable(limit: 200))",
                    of: gateway, atMs: wallMs)
            ]
        }
    }

    /// Notes a lost connection: messages are missing until the next one.
    mutating func interrupt() {
        model.interrupt()
        idle.interrupt()
    }

    /// Counts a message that was not delivered.
    mutating func noteUnreadable() { unreadable += 1 }

    /// Removes beacons that were not heard for some time.
    mutating func pass(to now: Instant) { model.pass(to: now) }

    /// A payload on one line: spaces replace line breaks and other control characters, which JSON text has only between
    /// its values.
    static func rawLine(_ payload: [UInt8]) -> [UInt8] {
        payload.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 } + [UInt8(ascii: "\n")]
    }
}

import Contract
import JSON
import Primitives
import Subscriber

/// What a message from the broker does to the model, and the lines that it makes where there is no terminal.
struct WatchFeed {
    let root: String
    private(set) var model = WatchModel()
    /// Messages on a gateway's topics that were not what the contract says.
    private(set) var unreadable = 0
    private var quiet = QuietSpells()

    init(root: String) { self.root = root }

    /// Takes a message; `wallMs` is the watcher's wall clock.
    ///
    /// - Returns: plain lines.
    mutating func on(
        topic: String, payload: [UInt8], at now: Instant, wallMs: Int64
    ) -> [String] {
        guard let (topics, kind) = Topics.parse(topic, root: root) else { return [] }
        let gateway = GatewayName(site: topics.site, id: topics.gateway)
        do throws(Faults) {
            switch kind {
            case .status:
                // The empty message that removes a retained one.
                guard !payload.isEmpty else {
                    model.forget(gateway)
                    quiet.forget(gateway)
                    return []
                }
                let message = try StatusMessage(decoding: payload)
                if message.state == .offline { quiet.forget(gateway) }
                return model.on(message, of: gateway)
                    .map { PlainLines.line($0, atMs: wallMs) }
            case .sightings:
                let message = try SightingsMessage(decoding: payload)
                let notices = model.on(message, of: gateway, at: now, wallMs: wallMs)
                // The model bounds the number of gateways.
                let spell =
                    model.gateways[gateway] == nil ? nil : quiet.on(message, of: gateway)
                return notices.map { PlainLines.line($0, atMs: wallMs) }
                    + [spell].compactMap(\.self).map {
                        PlainLines.line($0, of: gateway, atMs: wallMs)
                    } + PlainLines.lines(message, of: gateway)
            case .health, .reported, .trackers: return []
            }
        } catch {
            unreadable += 1
            let fault = error.list.first?.message ?? "not understood"
            return [
                PlainLines.line(
                    "sent a message that can't be read: \(fault.printable(limit: 200))",
                    of: gateway, atMs: wallMs)
            ]
        }
    }

    /// The connection to the broker was cut, and messages with it.
    mutating func interrupt() {
        model.interrupt()
        quiet.interrupt()
    }

    /// A message came that was not even delivered.
    mutating func noteUnreadable() { unreadable += 1 }

    /// Time passes: what was not heard for long is forgotten.
    mutating func pass(to now: Instant) { model.pass(to: now) }

    /// A payload as a line: a JSON text may hold line breaks and other control characters between its values, and
    /// nothing is lost where they become blanks.
    static func rawLine(_ payload: [UInt8]) -> [UInt8] {
        payload.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 } + [UInt8(ascii: "\n")]
    }
}

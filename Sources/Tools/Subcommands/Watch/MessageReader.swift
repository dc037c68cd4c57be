import Contract
import JSON
import MQTT
import Primitives
import Subscriber
import Terminal

/// Decodes messages from the broker, updates the model, and makes the output lines.
struct MessageReader {
    /// What a message says.
    struct Lines: Equatable {
        /// Changes of the gateway.
        var changes: [WatchNotice] = []
        var sightings: [String] = []

        /// The output without a terminal.
        var all: [String] { changes.map(PlainLines.line) + sightings }
    }

    let root: String
    private(set) var names: NameCheck
    private(set) var model: WatchModel
    /// Messages on a gateway's topics that violate the contract.
    private(set) var unreadable = 0
    private var idle = IdlePeriods()

    init(
        root: String, site: String? = nil, gateway: String? = nil,
        selection: GatewaySelection? = nil, acceptsUnsyncedClocks: Bool = false
    ) {
        self.root = root
        model = WatchModel(acceptsUnsyncedClocks: acceptsUnsyncedClocks)
        names = NameCheck(site: site, gateway: gateway, selection: selection)
    }

    /// - Parameter wall: this machine's wall clock.
    mutating func on(
        topic: String, payload: [UInt8], at now: Instant, wall: UnixTime
    ) -> Lines {
        guard let (gateway, kind) = place(topic) else { return Lines() }
        var lines = Lines()
        var sentences: [String]
        do throws(Faults) {
            sentences = try read(payload, kind, of: gateway, at: now, wall: wall, &lines)
        } catch {
            unreadable += 1
            let fault = error.list.first?.message ?? "unknown error"
            sentences = ["sent an invalid message: \(fault.printable(limit: 200))"]
        }
        lines.changes = sentences.map { WatchNotice(gateway: gateway, text: $0, at: wall) }
        return lines
    }

    /// - Returns: the sentences about the gateway.
    private mutating func read(
        _ payload: [UInt8], _ kind: Topics.Kind, of gateway: GatewayName, at now: Instant,
        wall: UnixTime, _ lines: inout Lines
    ) throws(Faults) -> [String] {
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
            return model.on(message, of: gateway, at: now).map(\.text)
        case .sightings:
            let message = try SightingsMessage(decoding: payload)
            let changes = model.on(message, of: gateway, at: now, wall: wall)
            lines.sightings = PlainLines.lines(message, of: gateway)
            // The model limits the number of gateways.
            let period = model.gateways[gateway] == nil ? nil : idle.on(message, of: gateway)
            return changes.map(\.text) + [period].compactMap(\.self)
        case .reported:
            guard !payload.isEmpty else { return [] }
            let message = try ReportedMessage(decoding: payload)
            let change = model.on(message, of: gateway, at: now)
            return [change].compactMap(\.self).map { "is retuned: \($0)" }
        case .health:
            guard !payload.isEmpty else { return [] }
            model.on(try Health(decoding: payload), of: gateway, at: now)
            return []
        case .trackers: return []
        }
    }

    /// A message as a line of JSON; `nil` for a gateway that the command line does not ask for.
    mutating func line(_ message: Message) -> [UInt8]? {
        guard let (gateway, _) = place(message.topic) else { return nil }
        return MessageLine.bytes(
            topic: message.topic, of: gateway, payload: message.payload,
            isRetained: message.isRetained)
    }

    /// What the broker's retained messages show of the names that the command line asks for.
    mutating func judgeNames(at now: Instant, broker: String) -> NameCheck.Outcome? {
        names.judge(at: now, broker: broker)
    }

    /// All subscriptions are confirmed.
    mutating func subscribed(at now: Instant) { names.subscribed(at: now) }

    /// A retained message has arrived.
    mutating func received(at now: Instant) { names.received(at: now) }

    /// Notes a lost connection: messages are missing until the next one.
    mutating func interrupt() {
        model.interrupt()
        idle.interrupt()
        names.interrupt()
    }

    /// Counts a message that was not delivered.
    mutating func noteUnreadable() { unreadable += 1 }

    /// Notes which beacons and gateways have changed by the time alone.
    mutating func pass(to now: Instant) { model.pass(to: now) }

    private mutating func place(_ topic: String) -> (gateway: GatewayName, kind: Topics.Kind)? {
        guard let (gateway, kind) = GatewayName.parse(topic, root: root) else { return nil }
        return names.includes(gateway) ? (gateway, kind) : nil
    }
}

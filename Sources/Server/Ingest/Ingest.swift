import Beacons
import Contract
import Facts
import JSON
import Logging
import MQTT
import Primitives
import Queueing
import ResultStore
import Results
import Sightings
import Subscriber

/// Turns messages of gateways into windows of sites. It keeps what the next commit must store.
struct Ingest {
    private let root: String
    private let results: ResultTopics
    private let log: Log
    private(set) var batch = StoreBatch()
    private var logged = LoggedFaults()
    /// Sites that the configuration does not have, whose messages come by subscriptions of an earlier one.
    private var foreign: Set<String> = []
    private var newForeign: [String] = []
    private var undecided: Undecided?

    /// Why the broker must send a message again.
    enum Undecided: String {
        /// It seems to be of the future, and the clock may be wrong.
        case clock = "the clock is not set"
        case closing = "the day before is not closed"
    }

    private static let mostForeign = 1000
    /// Sessions are names of any length in the contract, and are kept for a day.
    private static let sessionLengths = 1...256

    init(root: String, results: ResultTopics, log: Log) {
        self.root = root
        self.results = results
        self.log = log
    }

    /// The topics of a site that the server reads.
    static func filters(root: String, results: ResultTopics, site: String) -> [String] {
        [Topics.Kind.sightings, .status, .health, .reported].map {
            Topics.filter($0, root: root, site: site)
        } + [results.filter(.served, site: site)]
    }

    mutating func on(_ message: Message, _ state: ServerState, at now: Instant) {
        if let (name, queue, kind) = results.parse(message.topic), kind == .served,
            let site = state.site(named: name)
        {
            // No gateway has a name with a slash.
            return count(
                take(receipt: message.payload, queue, site, state, at: now), state, name,
                queue + kind.suffix)
        }
        guard let (topics, kind) = Topics.parse(message.topic, root: root) else {
            return on(nameless: message.topic, state)
        }
        guard let site = state.site(named: topics.site) else { return on(foreign: topics.site) }
        let wall = state.clock.time(at: now)
        let gateway = topics.gateway
        switch kind {
        case .status:
            let status = read(kind, topics, state) { () throws(Faults) in
                try StatusMessage(decoding: message.payload)
            }
            guard let status else { return }
            site.update(gateway, wall: wall) { $0.on(status) }
        case .reported:
            let report = read(kind, topics, state) { () throws(Faults) in
                try ReportedMessage(decoding: message.payload)
            }
            guard let report else { return }
            site.update(gateway, wall: wall) { $0.on(report) }
        case .health:
            let health = read(kind, topics, state) { () throws(Faults) in
                try Health(decoding: message.payload)
            }
            guard let health else { return }
            site.update(gateway, wall: wall) { $0.on(health) }
        case .trackers: break
        case .sightings:
            count(
                take(message.payload, gateway, site, state, at: now), state, topics.site, gateway)
        }
    }

    /// The message; `nil` if it breaks the contract, which is counted and logged.
    private mutating func read<Contents>(
        _ kind: Topics.Kind, _ topics: Topics, _ state: ServerState,
        _ decode: () throws(Faults) -> Contents
    ) -> Contents? {
        do throws(Faults) { return try decode() } catch {
            state.counts.add(.invalid, site: topics.site, gateway: topics.gateway)
            logFault("\(kind.rawValue) message breaks the contract", place(topics), error)
            return nil
        }
    }

    private func place(_ topics: Topics) -> String { "\(topics.site)/\(topics.gateway)" }

    /// Why the broker must send messages again that have come since the last call; `nil` if it need not.
    mutating func takeUndecided() -> Undecided? {
        defer { undecided = nil }
        return undecided
    }

    private mutating func count(
        _ outcome: MessageOutcome?, _ state: ServerState, _ site: String, _ gateway: String
    ) {
        guard let outcome else { return }
        state.counts.add(outcome, site: site, gateway: gateway)
    }

    /// Notes a message that the connection has discarded for its size.
    mutating func onOversized(_ topic: String, bytes: Int, _ state: ServerState) {
        guard let (topics, _) = Topics.parse(topic, root: root),
            state.site(named: topics.site) != nil
        else { return }
        state.counts.add(.oversized, site: topics.site, gateway: topics.gateway)
        logFault("message is too large", place(topics), "\(bytes.grouped) bytes")
    }

    /// What the next commit stores. It is then empty.
    mutating func takeBatch() -> StoreBatch {
        defer { batch = StoreBatch() }
        return batch
    }

    /// Takes back the windows of a batch that the store has refused.
    mutating func restore(_ refused: StoreBatch) {
        var kept = StoreBatch()
        kept.addFacts(of: refused)
        kept.append(batch)
        batch = kept
    }

    /// The sites since the last call whose topics the broker must not send any more.
    mutating func takeForeign() -> [String] {
        defer { newForeign = [] }
        return newForeign
    }

    /// Notes a message on a topic of a site whose gateway, or queue, has a name that the contract forbids.
    private mutating func on(nameless topic: String, _ state: ServerState) {
        let site = state.sites.map(\.layout.site).first { site in
            [root, results.root].contains { topic.hasPrefix("\($0)/\(site)/") }
        }
        guard let site else { return }
        state.counts.add(.invalid, site: site, gateway: nil)
        // The name may be an identity.
        logFault("message on a topic with a forbidden name", site, "expected \(Topics.nameRule)")
    }

    private mutating func on(foreign site: String) {
        guard foreign.count < Self.mostForeign, foreign.insert(site).inserted else { return }
        newForeign.append(site)
    }

    /// - Returns: `nil` if the message is undecided.
    private mutating func take(
        _ payload: [UInt8], _ gateway: String, _ site: Site, _ state: ServerState,
        at now: Instant
    ) -> MessageOutcome? {
        let place = "\(site.layout.site)/\(gateway)"
        let message: SightingsMessage
        do throws(Faults) {
            message = try SightingsMessage(decoding: payload)
        } catch {
            logFault("sightings message breaks the contract", place, error)
            return .invalid
        }
        guard Self.sessionLengths.contains(message.session.utf8.count) else {
            logFault("message has a session without a name, or with a long one", place, "")
            return .invalid
        }
        if site.takesTime(of: message, from: gateway) {
            state.clock.on(
                end: message.windowEnd, from: place, of: state.gatewayCount, at: now)
        }
        let judgement = state.clock.judge(end: message.windowEnd, at: now)
        if judgement == .undecided {
            undecided = .clock
            return nil
        }
        guard judgement == .plausible else {
            logFault(
                "message is of the future", place, "windowEnd=\(message.windowEnd.milliseconds)")
            return .future
        }
        let wall = state.clock.time(at: now)
        site.update(gateway, wall: wall) { $0.on(message, at: now, wall: wall) }
        let open = state.clock.correctable(at: now)
        let facts = site.facts(of: message, open: open)
        guard let first = facts.first else {
            logFault(
                "message has impossible times", place, "windowEnd=\(message.windowEnd.milliseconds)"
            )
            return .invalid
        }
        guard first.isSynced else { return .unsynced }
        guard let outcome = take(facts, gateway, site, open: open, in: state.store) else {
            return nil
        }
        var readings = facts.count == 1 ? first.packed : nil
        let measured = site.measure(
            message, from: gateway, open: open, wall: wall, sharing: &readings)
        let ofBeacons = site.takeForInventory(message, from: gateway, sharing: &readings)
        return [outcome, measured].first { $0 != .foreign } ?? ofBeacons
    }

    /// Takes the parts of a window. It is new if one of them is.
    ///
    /// - Parameter open: late windows from here on are stored: a correction of the time folds them.
    private mutating func take(
        _ facts: [WindowFact], _ gateway: String, _ site: Site, open: UnixTime?,
        in store: any ResultStore
    ) -> MessageOutcome? {
        var result: MessageOutcome?
        for fact in facts {
            guard var outcome = site.take(fact, from: gateway) else {
                undecided = .closing
                return nil
            }
            if outcome == .late, fact.span.lowerBound >= open ?? .max {
                outcome = take(late: fact, from: gateway, at: site.layout.site, in: store)
            }
            if outcome == .new { batch.add(fact, site: site.layout.site, gateway: gateway) }
            if result != .new { result = outcome }
        }
        return result
    }

    /// What becomes of a late window that a correction of the time may fold: a second has as many of a gateway as others.
    private func take(
        late fact: WindowFact, from gateway: String, at site: String, in store: any ResultStore
    ) -> MessageOutcome {
        let isStored = try? store.has(fact, of: gateway, at: site)
        if isStored ?? false || batch.has(fact, of: gateway, at: site) { return .repeated }
        let (second, most) = (
            UnixSecond(containing: fact.span.lowerBound).span, GatewayTimeline.mostOfSecond
        )
        let stored = try? store.count(of: gateway, at: site, in: second, limit: most)
        let count = (stored ?? 0) + batch.count(of: gateway, at: site, in: second)
        return count < most ? .new : .excess
    }

    private mutating func take(
        receipt payload: [UInt8], _ queue: String, _ site: Site, _ state: ServerState,
        at now: Instant
    ) -> MessageOutcome? {
        let place = "\(site.layout.site)/queues/\(queue)"
        let receipt: Receipt
        do throws(Faults) {
            receipt = try Receipt(parsing: payload)
        } catch {
            logFault("receipt breaks the contract", place, error)
            return .invalid
        }
        if state.clock.isFuture(receipt.time, at: now) {
            // The broker sends it again, with the windows of a time that the clock may have missed.
            guard undecided == nil else { return nil }
            // A receipt is no witness of the time, and must hold up no other message.
            logFault(
                "receipt is of the future: check the clocks of the till and of this machine", place,
                "till=\(receipt.till)")
            return .future
        }
        var outcome = site.take(receipt, queue: queue)
        if outcome == .late, receipt.time >= state.clock.correctable(at: now) ?? .max {
            let times = receipt.time..<receipt.time + .milliseconds(1)
            let stored = try? state.store.receipts(of: queue, at: site.layout.site, in: times)
            let known = (stored ?? []) + batch.receipts(of: queue, at: site.layout.site, in: times)
            outcome = known.contains(receipt) ? .repeated : .new
        }
        if outcome == .new { batch.add(receipt, site: site.layout.site, queue: queue) }
        return outcome
    }

    private mutating func logFault(_ fault: String, _ gateway: String, _ faults: Faults) {
        let first = faults.list.first.map { fault in
            let place = fault.pointer.description
            return place.isEmpty ? fault.message : "\(place): \(fault.message)"
        }
        logFault(fault, gateway, first ?? "")
    }

    private mutating func logFault(_ fault: String, _ gateway: String, _ reason: String) {
        guard let isLast = logged.take(fault, reason, at: gateway) else { return }
        log.warning(
            fault + (isLast ? "; further ones are only counted" : ""),
            ["gateway": gateway, "reason": reason.printable(limit: 300)])
    }
}

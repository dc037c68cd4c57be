import Contract
import Facts
import JSON
import Primitives
import Sightings

@testable import Queueing

/// A small store for tests: an entry, a till, and tags that move between them. It is no model of radio.
enum Scene {
    static let start = UnixSecond(1_780_002_000)

    /// A second of the scene.
    static func second(_ number: Int64) -> UnixSecond { start.advanced(by: Int(number)) }

    static func layout(more: String = "") throws -> SiteLayout {
        let text = """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["entry"],"till":["till"]\(more)}]}]}
            """
        let configuration = try QueueConfiguration(parsing: Array(text.utf8))
        return configuration.sites[0]
    }

    /// One message of a gateway.
    struct Message {
        let gateway: String
        let window: WindowFact
    }

    /// A window of one second.
    static func window(
        _ second: Int64, state: RadioState = .hearing, powers: [(tag: UInt64, power: Double)] = [],
        session: String = "a", lost: Loss? = nil
    ) -> WindowFact {
        let span = Scene.second(second).span
        let number = UInt64(second)
        return WindowFact(
            session: session, numbers: number...number,
            span: span, state: state, lost: lost,
            readings: powers.map {
                Reading(
                    tag: Tag(rawValue: $0.tag), power: $0.power, count: 5,
                    seen: span.lowerBound...span.lowerBound + .milliseconds(900), senders: 1)
            })
    }

    /// The same window with other pseudonyms.
    static func renamed(_ window: WindowFact, _ name: (UInt64) -> UInt64) -> WindowFact {
        WindowFact(
            session: window.session, numbers: window.numbers, parts: window.parts,
            span: window.span, state: window.state, isSynced: window.isSynced, lost: window.lost,
            readings: window.readings.map {
                Reading(
                    tag: Tag(rawValue: name($0.tag.rawValue)), power: $0.power, count: $0.count,
                    seen: $0.seen, centroid: $0.centroid, senders: $0.senders)
            })
    }

    /// The visit of one tag: it comes, stands at the entry, waits in the middle, stands at the till, and goes.
    struct Walk {
        let tag: UInt64
        let joined: Int64
        let left: Int64
        /// Seconds near the line before.
        var browses: Int64 = 0
        /// Seconds for which the tag stays at the till without the person.
        var lies: Int64 = 0

        /// The power at the entry and at the till; `nil` when it is away.
        func powers(at second: Int64) -> (entry: Double, till: Double)? {
            let close = -58.0
            switch second {
            case joined - 12 - browses..<joined - 12: return (close - 18, close - 24)
            case joined - 12..<joined - 2: return (close - Double(joined - second) * 2, close - 26)
            case joined - 2..<joined + 3: return (close, close - 12)
            case joined + 3..<left - 15: return (close - 9, close - 8)
            case left - 15..<left + 1, left..<left + lies: return (close - 13, close)
            case left + 1..<left + 12:
                return (close - 22, close - Double(second - left) * 3)
            default: return nil
            }
        }
    }

    /// Twelve visits, a new one every minute.
    static let twelve = (0..<12).map { (index: Int64) -> Walk in
        let joined = 60 + index * 61
        return Walk(
            tag: UInt64(index + 1), joined: joined, left: joined + 90 + index % 4 * 20)
    }

    /// The messages of both gateways for visits with small random differences of power.
    static func messages(
        _ walks: [Walk], seconds: Range<Int64>, seed: UInt64,
        state: (String, Int64) -> RadioState? = { _, _ in .hearing }
    ) -> [Message] {
        var random = SplitMix64(seed: seed)
        return seconds.flatMap { second -> [Message] in
            ["entry", "till"].compactMap { gateway in
                let powers = walks.compactMap { walk -> (tag: UInt64, power: Double)? in
                    guard let powers = walk.powers(at: second) else { return nil }
                    let noise = Double.random(in: -2...2, using: &random)
                    return (walk.tag, (gateway == "entry" ? powers.entry : powers.till) + noise)
                }
                guard let state = state(gateway, second) else { return nil }
                return Message(
                    gateway: gateway,
                    window: window(
                        second, state: state, powers: state == .hearing ? powers : [],
                        session: gateway))
            }
        }
    }

    /// Final results of the messages, in their order.
    static func results(
        _ messages: [Message], allowedLateness: Duration? = nil
    ) throws -> [QueueEstimator.Result] {
        var estimator = QueueEstimator(
            try layout(), allowedLateness: allowedLateness ?? .zero, learning: .zero)
        var results: [QueueEstimator.Result] = []
        for message in messages {
            _ = estimator.take(message.window, from: message.gateway)
            if allowedLateness != nil { results += estimator.advance() }
        }
        return results + estimator.finish()
    }
}

extension SiteLayout {
    /// The close levels before the first tag.
    var unlearntLevels: CloseLevels {
        CloseLevels(
            gateways.map { _ in CloseLevel() },
            roles: queues.map { QueueRoles($0, gateways: gateways) })
    }
}

extension [QueueEstimator.Result] {
    var visits: [Visit] {
        compactMap { result in
            if case .visit(let visit) = result { visit } else { nil }
        }
    }

    var periods: [QueuePeriod] {
        compactMap { result in
            if case .period(let period) = result { period } else { nil }
        }
    }
}

extension LineOrder {
    /// Judges the stays; returns the visits among them.
    mutating func visits(
        at second: UnixSecond?, stillInSince first: UnixSecond?, pending: [LineStay] = [],
        undecided: [Facts.Tag: UnixSecond] = [:], unknown: Range<UnixSecond>? = nil
    ) -> [Proposal] {
        judge(
            at: second, stillInSince: first, pending: pending, undecided: undecided,
            unknown: unknown
        ).filter(\.isVisit)
    }
}

/// Tests name places by their numbers.
extension QueueIndex: ExpressibleByIntegerLiteral {
    public init(integerLiteral number: Int) { self.init(number) }
}

extension TillIndex: ExpressibleByIntegerLiteral {
    public init(integerLiteral number: Int) { self.init(number) }
}

extension GatewayIndex: ExpressibleByIntegerLiteral {
    public init(integerLiteral number: Int) { self.init(number) }
}

import CommandSupport
import Contract
import MQTT
import Subscriber

/// A retuning from the first subscription to the last report: what to publish, what to tell, and when it is over.
///
/// A value without sockets and clocks; moments are microseconds since boot.
struct Campaign {
    /// What somebody wishes of one layer.
    struct Wish {
        let name: LayerName
        let assignments: [Assignment]
    }

    struct Order {
        var root = Topics.usualRoot
        var wishes: [Wish]
        /// Gateways that must answer, heard of or not.
        var named: [GatewayName] = []
        var isDryRun = false
        /// Begins with empty documents.
        var isReplacing = false
        /// Takes the documents away; nothing is assigned.
        var isRemoving = false
        /// How long gateways have for their answer, in microseconds.
        var timeout: Int64 = 30_000_000
    }

    /// What is to be told.
    enum News {
        case edition(Edition)
        case published(Edition)
        /// Once it is final, and again whenever that changes.
        case judged(GatewayName, Judgement)
        /// One sentence for standard error.
        case note(String)
    }

    /// After the last retained message, all have come. They follow the answer to a subscription without a pause: this is
    /// for one slow round trip of TCP, no more.
    static let quiet: Int64 = 500_000
    /// What still comes so long after the subscriptions were answered is not what was retained before.
    static let longestGathering: Int64 = 5_000_000
    /// A broker that has not answered all subscriptions by then never will.
    static let longestSubscribing: Int64 = 60_000_000

    let order: Order
    let topics: [String: LayerName]
    var roster: Roster
    /// What is retained, as far as this connection has shown it.
    var seen: [LayerName: RetainedDocument] = [:]
    /// `nil` until what is retained is known.
    var editions: [LayerName: Edition]?
    /// Documents to be handed to the broker.
    var unpublished: [LayerName] = []
    /// Retained messages of this connection may still come.
    var isGathering = true
    /// When the connection was begun, or lost.
    var unsubscribedSince: Int64
    /// When all subscriptions of this connection were answered; `nil` before, and when all retained messages have come.
    var subscribedAt: Int64?
    var lastRetained: Int64 = 0
    /// When gateways that have not answered are silent.
    var deadline: Int64 = .max
    /// Documents that the broker was handed, taken or not.
    var handed: Set<LayerName> = []
    /// Published documents that the broker has taken.
    var acknowledged: Set<LayerName> = []
    /// Published documents that the broker has shown to us.
    var echoed: Set<LayerName> = []
    /// The version that somebody else published over ours.
    var overtaken: [LayerName: Int64] = [:]
    /// The last judgement of each gateway that it concerns.
    var judgements: [GatewayName: Judgement] = [:]
    /// The last judgement of each gateway that was told.
    var told: [GatewayName: Judgement] = [:]
    /// Gateways that have not answered for good.
    var unanswered = 0
    var news: [News] = []
    /// How it ended; `nil` while it has not.
    var exit: ExitCode?
    var isInterrupted = false
    /// When what is retained was known.
    var decidedAt: Int64?

    init(_ order: Order, at now: Int64) {
        self.order = order
        topics = Dictionary(
            order.wishes.map { ($0.name.topic(root: order.root), $0.name) },
            uniquingKeysWith: { $1 })
        roster = Roster(named: order.named)
        unsubscribedSince = now
    }

    /// Documents that are to change.
    var changes: [Edition] {
        order.wishes.compactMap { editions?[$0.name] }.filter { $0.bytes != nil }
    }

    /// When `pass` wants to be called at the latest.
    var wake: Int64 { min(gatheredAt ?? deadline, deadline) }

    /// When all that is retained has come; `nil` while that is not to be said, or has been.
    var gatheredAt: Int64? {
        guard let subscribedAt else { return nil }
        return min(
            max(subscribedAt, lastRetained) + Self.quiet, subscribedAt + Self.longestGathering)
    }

    /// What is to be told since the last time.
    mutating func takeNews() -> [News] {
        defer { news = [] }
        return news
    }

    mutating func tell(_ item: News) { news.append(item) }

    /// Ends it; the first reason counts.
    mutating func end(_ code: ExitCode) {
        if exit == nil { exit = code }
    }
}

import Contract
import JSON
import Primitives
import Queueing
import Sightings
import Subscriber

/// The gateways of a site: those of its queues, and others that send messages.
struct MonitoredGateways {
    private var monitors: [String: GatewayMonitor] = [:]
    /// Messages of gateways beyond the limit.
    private(set) var ignored = 0
    private var connectedAt: Instant?
    /// The documents that were sent to browsers last, and when.
    private var sent: [String: (document: JSON, at: Instant)] = [:]
    /// Whether the server is connected to the broker.
    var isConnected: Bool { connectedAt != nil }

    /// Beyond the configured ones.
    private static let mostOthers = 64
    /// How often a gateway's document is sent whose numbers change, and not its condition.
    private static let pause = Duration.seconds(10)
    /// A gateway that is there has sent a message after this time of a connection, also if the broker retains none.
    private static let introduction = Duration.seconds(20)
    /// Those that a queue of the site names.
    private let configured: Set<String>
    private var limit: Int { configured.count + Self.mostOthers }

    init(configured: [String], wall: UnixTime) {
        self.configured = Set(configured)
        for gateway in configured { monitors[gateway] = GatewayMonitor(wall: wall) }
    }

    /// Changes what is known of a gateway.
    mutating func update(
        _ gateway: String, wall: UnixTime, _ change: (inout GatewayMonitor) -> Void
    ) {
        guard monitors[gateway] != nil || monitors.count < limit else {
            ignored += 1
            return
        }
        let new = monitor(wall)
        change(&monitors[gateway, default: new])
    }

    mutating func onConnection(_ isConnected: Bool, at now: Instant) {
        connectedAt = isConnected ? now : nil
        for gateway in monitors.keys { monitors[gateway]?.onConnection(isConnected, at: now) }
    }

    /// - Returns: the gateways to send: a changed condition at once, other numbers after a pause.
    mutating func tick(at now: Instant, wall: UnixTime, acceptsUnsyncedClocks: Bool)
        -> [GatewayOverview]
    {
        monitors.keys.sorted().compactMap { gateway in
            let isChanged = monitors[gateway]?.update(
                at: now, wall: wall, acceptsUnsyncedClock: acceptsUnsyncedClocks)
            let last = sent[gateway]
            if isChanged != true, let last, now - last.at < Self.pause { return nil }
            guard let monitor = monitors[gateway] else { return nil }
            let result = result(gateway, monitor)
            let document = result.json(for: .read)
            sent[gateway] = (document, now)
            return document == last?.document ? nil : result
        }
    }

    /// The gateways, worst first.
    var results: [GatewayOverview] {
        monitors.sorted { ($0.value.condition, $0.key) < ($1.value.condition, $1.key) }
            .map { result($0.key, $0.value) }
    }

    private func result(_ gateway: String, _ monitor: GatewayMonitor) -> GatewayOverview {
        GatewayOverview(
            name: gateway, isConfigured: configured.contains(gateway), monitor: monitor)
    }

    var conditions: [(gateway: String, condition: GatewayCondition)] {
        monitors.sorted { $0.key < $1.key }.map { ($0.key, $0.value.condition) }
    }

    /// The gateways of queues of which the broker has nothing, each with the nearest name of one that no queue names.
    func unheard(at now: Instant) -> [(gateway: String, nearest: String?)] {
        guard let connectedAt, now - connectedAt >= Self.introduction else { return [] }
        let others = monitors.keys.filter { !configured.contains($0) }.sorted()
        return configured.filter { monitors[$0]?.isHeardOf == false }.sorted()
            .map { ($0, NearestWord.to($0, among: others)) }
    }

    /// The gateways whose connection to the broker has ended.
    var offline: Set<String> { Set(monitors.lazy.filter(\.value.isOffline).map(\.key)) }

    /// Why the estimator has no window of a gateway: the known causes, by gateway.
    func absences(acceptsUnsyncedClocks: Bool) -> [String: QueueNow.Reason.Cause] {
        monitors.compactMapValues { monitor in
            if monitor.condition == .offline { return .offline }
            return monitor.isUnsynced && !acceptsUnsyncedClocks ? .unsynced : nil
        }
    }

    private func monitor(_ wall: UnixTime) -> GatewayMonitor {
        var monitor = GatewayMonitor(wall: wall)
        if let connectedAt { monitor.onConnection(true, at: connectedAt) }
        return monitor
    }
}

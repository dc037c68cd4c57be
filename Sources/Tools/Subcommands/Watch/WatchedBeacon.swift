import Contract
import Primitives
import Subscriber

/// A beacon, with what each gateway heard of it in the last minutes.
struct WatchedBeacon {
    /// A beacon at one gateway.
    struct Hearing {
        /// Reports per second in the latest window with reports.
        var perSecond = 0.0
        /// In dBm; `nil` if no report had an RSSI.
        var mean: Double?
        var max: Int8?
        var senders = 0
        /// The gateway's own identity from another sender.
        var isEcho = false
        /// The time of the latest report.
        var lastHeard: Instant
        /// From this time on, the gateway does not hear the beacon.
        var end: Instant
        /// A slow average of `max`: the strongest gateway does not change with each window.
        var level = -128.0
        /// The strongest RSSI of each second.
        var history = RecentSeconds()
    }

    private(set) var hearings: [GatewayName: Hearing] = [:]
    /// From this time on, no gateway hears the beacon.
    private(set) var end = Instant(microseconds: .min)

    /// A beacon stays for this time after its last report; longer for wide windows.
    static let lifetime = Duration.seconds(10)
    private static let longestLifetime = Duration.seconds(3600)

    mutating func take(
        _ sighting: SightingMessage, of gateway: GatewayName, window: SightingsMessage,
        at now: Instant
    ) {
        // The message arrives at about the end of its window.
        let width = min(window.windowWidth, Self.longestLifetime)
        let silence = min(
            max(.zero, window.windowWidth - .milliseconds(sighting.lastSeen)),
            Self.longestLifetime)
        let lastHeard = now - silence
        let new = Hearing(lastHeard: lastHeard, end: lastHeard + max(Self.lifetime, width * 2))
        end = max(end, new.end)
        hearings[gateway, default: new].take(sighting, window, lastHeard, end: new.end)
    }

    /// Whether no gateway hears it: a new beacon can take its place.
    func isGone(at now: Instant) -> Bool { now >= end }

    /// The gateway with the strongest signal among those that hear the beacon, or that heard it last.
    func strongest(at now: Instant) -> (gateway: GatewayName, hearing: Hearing)? {
        hearings.max { left, right in
            let (one, other) = (left.value, right.value)
            let (isHeard, isOtherHeard) = (one.end > now, other.end > now)
            if isHeard != isOtherHeard { return isOtherHeard }
            if !isHeard, one.end != other.end { return one.end < other.end }
            if one.level != other.level { return one.level < other.level }
            return left.key > right.key
        }.map { ($0.key, $0.value) }
    }

    /// Removes gateways that did not hear it in the time of the history, except the last one.
    mutating func forgetOld(at now: Instant) {
        let limit = now - .seconds(RecentSeconds.seconds)
        guard hearings.contains(where: { $0.value.end < limit }) else { return }
        hearings = hearings.filter { $0.value.end >= limit || $0.value.end == end }
    }

    mutating func forget(_ gateway: GatewayName) { hearings[gateway] = nil }
}

extension WatchedBeacon.Hearing {
    /// The weight of a new value in the slow average: it follows in about five windows.
    private static let levelWeight = 0.25
    private static let noLevel = -128.0

    fileprivate mutating func take(
        _ sighting: SightingMessage, _ window: SightingsMessage, _ lastHeard: Instant, end: Instant
    ) {
        perSecond = Double(sighting.count) / window.windowSeconds
        mean = sighting.signal?.mean
        max = sighting.signal?.max
        senders = sighting.senders
        isEcho = sighting.isEcho
        self.lastHeard = lastHeard
        self.end = end
        guard let strongest = sighting.signal.map({ Double($0.max) }) else { return }
        level = level == Self.noLevel ? strongest : level + Self.levelWeight * (strongest - level)
        history.note(strongest, from: window.windowStart, to: window.windowEnd)
    }
}

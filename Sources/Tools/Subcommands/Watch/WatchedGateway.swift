import Contract
import JSON
import Primitives
import Subscriber

/// A gateway: its state, its configuration in force, and its reports of the last minutes.
struct WatchedGateway {
    /// What `config/reported` says.
    struct Tuning: Equatable {
        let versions: LayerVersions
        let status: ReportedMessage.Status
        /// The first fault, with its layer and version.
        let fault: String?
        let windowWidth: Duration?

        init(_ message: ReportedMessage) {
            versions = message.versions
            status = message.status
            fault = message.errors.first?.phrase
            guard case .integer(let width)? = message.effective["report"]?["windowMs"] else {
                windowWidth = nil
                return
            }
            windowWidth = .milliseconds(width)
        }

        /// The layers in force and the window: `fleet 3, site 2; window 1 s`.
        var text: String {
            let layers = Topics.Layer.allCases.compactMap { layer in
                versions[layer].map { "\(layer.rawValue) \($0)" }
            }
            let names = layers.isEmpty ? "no layer" : layers.joined(separator: ", ")
            return names
                + (windowWidth.map { "; window \($0.widthText)" } ?? "")
        }
    }

    private(set) var state = GatewayState()
    private(set) var tuning: Tuning?
    /// The time of the last change of the configuration during the watch.
    private(set) var retuned: Instant?
    /// The width of the latest window.
    private(set) var lastWindowWidth: Duration?
    /// Reports per second.
    private(set) var history = RecentSeconds()
    /// The time since which the status is offline, if the watch has seen the change.
    private(set) var offlineSince: Instant?
    let firstSeen: Instant
    private let acceptsUnsyncedClock: Bool
    /// The worst condition of the last seconds orders the gateways: one that changes to and fro keeps its place.
    private var settled: (condition: GatewayCondition, at: Instant)?

    /// A retune is shown for this time.
    static let retuneShown = Duration.seconds(10)
    /// An online gateway without a message for this time, or for three windows, is silent.
    private static let silence = Duration.seconds(15)
    private static let settling = Duration.seconds(10)

    init(at now: Instant, acceptsUnsyncedClock: Bool = false) {
        firstSeen = now
        self.acceptsUnsyncedClock = acceptsUnsyncedClock
    }

    mutating func on(_ message: StatusMessage, at now: Instant) -> [GatewayChange] {
        let wasOffline = state.status == .offline
        let wasKnown = state.status != nil
        let changes = state.on(message)
        if state.status != .offline {
            offlineSince = nil
        } else if !wasOffline, wasKnown {
            offlineSince = now
        }
        return changes
    }

    /// - Returns: the changes, and whether the sightings are of now.
    mutating func on(
        _ message: SightingsMessage, at now: Instant, wall: UnixTime
    ) -> (changes: [GatewayChange], isCurrent: Bool) {
        let (changes, isCurrent) = state.on(message, at: now, wall: wall)
        if isCurrent {
            if state.status != .offline { offlineSince = nil }
            lastWindowWidth = message.windowWidth
            if message.radio != nil, state.radio != .deaf {
                history.note(
                    state.reportsPerSecond, from: message.windowStart, to: message.windowEnd)
            }
        }
        return (changes, isCurrent)
    }

    mutating func on(_ message: Health) { state.on(message) }

    /// - Returns: whether the configuration has changed since the last report.
    mutating func on(_ message: ReportedMessage, at now: Instant) -> Bool {
        let new = Tuning(message)
        defer { tuning = new }
        guard let tuning, tuning != new else { return false }
        retuned = now
        return true
    }

    mutating func interrupt() { state.interrupt() }

    /// The window's width in force; without a report, that of the latest window.
    var windowWidth: Duration? { tuning?.windowWidth ?? lastWindowWidth }

    /// The second of the gateway's clock at `now`, for histories.
    func second(at now: Instant) -> Int64 {
        guard history.newest != .min, let last = state.lastMessage else { return 0 }
        return history.newest + max(0, (now - last).wholeSeconds)
    }

    /// The condition that orders the gateways.
    func settledCondition(at now: Instant) -> GatewayCondition {
        let present = condition(at: now)
        guard let settled, now - settled.at < Self.settling else { return present }
        return min(settled.condition, present)
    }

    /// Notes the condition of this second.
    mutating func settle(at now: Instant) {
        let present = condition(at: now)
        if settledCondition(at: now) == present { settled = (present, now) }
    }

    var longestSilence: Duration {
        max(Self.silence, min(windowWidth ?? .zero, .seconds(3600)) * 3)
    }
}

extension Duration {
    /// The width of a window: `500 ms`, `1 s`, `2.5 s`.
    var widthText: String {
        let milliseconds = milliseconds
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let seconds = Double(milliseconds) / 1000
        return (seconds < 60 ? seconds.brief : (seconds.rounded()).brief) + " s"
    }
}

extension GatewayCondition {
    /// The reason matters more than the gateway's numbers.
    var hidesNumbers: Bool { ![.online, .unsynced, .expiring].contains(self) }
}

extension WatchedGateway {
    /// The most severe condition.
    func condition(at now: Instant) -> GatewayCondition {
        var evidence = state.evidence(at: now)
        evidence.acceptsUnsyncedClock = acceptsUnsyncedClock
        evidence.configuration = tuning?.status
        evidence.isSilent = now - (state.lastMessage ?? firstSeen) > longestSilence
        return evidence.condition
    }

    /// The reason of the condition, for the rest of the line.
    func reason(at now: Instant) -> String {
        let condition = condition(at: now)
        switch condition {
        case .offline:
            let since = offlineSince.map { "for \((now - $0).text)" } ?? "since before this watch"
            let last = state.lastMessage.map { "; last message \((now - $0).text) ago" } ?? ""
            return "\(condition.reason) \(since)\(last)"
        case .deaf:
            let silence = deafness(at: now).map { " for \($0.text)" }
            return condition.reason + (silence ?? "")
        case .refused, .rejected: return tuning?.fault ?? condition.reason
        case .silent:
            let since = state.lastMessage.map { "for \((now - $0).text)" }
            return "\(condition.reason) \(since ?? "since this watch began")"
        case .backlog: return state.health?.backlog?.reason ?? condition.reason
        case .behind: return "messages arrive \(state.delay?.text ?? "") late"
        case .losing: return losses
        case .expiring: return state.health?.expiringCertificate?.reason ?? condition.reason
        case .online: return state.status == nil ? "its status is unknown" : ""
        case .unknown, .degraded, .unsynced, .pending: return condition.reason
        }
    }

    /// The time without a report. The gateway can be deaf since before this watch: its health tells.
    private func deafness(at now: Instant) -> Duration? {
        let seen = state.deafSince.map { now - $0 }
        let radio = state.health?.radio
        let reported = radio?.isHearing == false ? radio?.lastReportAge : nil
        return [seen, reported].compactMap(\.self).max()
    }

    /// Everything that was lost during the watch.
    var losses: String {
        var parts: [String] = []
        if state.lost > 0 {
            let reason = state.lostReason.map { " (\($0.printable(limit: 24)))" } ?? ""
            parts.append("lost \(count(state.lost, "message"))\(reason)")
        }
        if state.missed > 0 { parts.append("missed \(count(state.missed, "message"))") }
        if state.dropped > 0 { parts.append("dropped \(count(state.dropped, "packet"))") }
        return parts.joined(separator: ", ")
    }
}

/// The periods in which a gateway's radio works and hears no beacon.
///
/// Lines at their beginning and end distinguish a store without beacons from a gateway that does not work.
struct IdlePeriods {
    /// From the start of the first window to the end of the last.
    private var periods: [GatewayName: (start: UnixTime, end: UnixTime)] = [:]

    /// - Returns: the text after the gateway's name; `nil` without a change.
    mutating func on(_ message: SightingsMessage, of gateway: GatewayName) -> String? {
        let period = periods[gateway]
        // Old windows of a backlog, and later parts of a window.
        if let period, message.windowStart < period.end { return nil }
        if message.sightings.isEmpty, message.state == .hearing {
            periods[gateway] = (period?.start ?? message.windowStart, message.windowEnd)
            return period == nil ? "hears no beacon" : nil
        }
        guard let period else { return nil }
        periods[gateway] = nil
        return "heard no beacon from \(Self.clock(period.start)) to \(Self.clock(period.end))"
    }

    /// Ends the period of a gateway without a line: it is removed, or offline.
    mutating func forget(_ gateway: GatewayName) { periods[gateway] = nil }

    /// Ends all periods without a line: the connection is lost.
    mutating func interrupt() { periods = [:] }

    private static func clock(_ time: UnixTime) -> String {
        UTCTime(time).clock
    }
}

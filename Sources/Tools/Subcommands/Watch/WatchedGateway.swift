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
    /// The worst condition of the last seconds orders the gateways: one that changes to and fro keeps its place.
    private var settled: (condition: GatewayCondition, at: Instant)?

    /// A retune is shown for this time.
    static let retuneShown = Duration.seconds(10)
    /// An online gateway without a message for this time, or for three windows, is silent.
    private static let silence = Duration.seconds(15)
    private static let settling = Duration.seconds(10)

    init(at now: Instant) { firstSeen = now }

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

    var isOffline: Bool { state.status == .offline }

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

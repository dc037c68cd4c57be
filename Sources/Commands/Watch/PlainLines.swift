import Contract
import Primitives
import Sightings
import Subscriber

/// A watcher's lines where there is no terminal: one per sighting, one per notice.
enum PlainLines {
    /// A line per sighting of a batch: time, gateway, identity, count, mean, max, senders; `echo` where the
    /// identity is the gateway's own.
    ///
    /// The time is the end of the window, as the gateway stamped it.
    static func lines(_ message: SightingsMessage, of gateway: GatewayName) -> [String] {
        let time = stamp(message.windowEnd)
        return message.sightings.map { sighting in
            let mean = sighting.signal.map { $0.mean.tenths } ?? "–"
            let max = sighting.signal.map { String($0.max) } ?? "–"
            return "\(time) \(gateway) \(sighting.identity) count=\(sighting.count)"
                + " mean=\(mean) max=\(max) senders=\(sighting.senders)"
                + (sighting.isEcho ? " echo" : "")
        }
    }

    /// A line for something that an operator wants to be told once; the time is the watcher's.
    static func line(_ notice: WatchNotice, atMs time: Int64) -> String {
        line(notice.kind.sentence, of: notice.gateway, atMs: time)
    }

    /// The same for anything else that happened.
    static func line(_ sentence: String, of gateway: GatewayName, atMs time: Int64) -> String {
        "\(stamp(time)) \(gateway) \(sentence)"
    }

    private static func stamp(_ milliseconds: Int64) -> String {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        return UTCTime(microseconds: overflow ? .max : microseconds).stamp
    }
}

extension WatchNotice.Kind {
    /// What happened, behind the gateway's name.
    var sentence: String {
        switch self {
        case .online(let version): "is online, version \(version.printable(limit: 24))"
        case .degraded: "is degraded: its radio is deaf or being mended"
        case .recovered: "is no longer degraded"
        case .offline: "is offline"
        case .newSession: "has started anew"
        case .deaf: "is DEAF: its radio hears nothing, so no sighting means nothing"
        case .hearing: "hears again"
        case .clock(.synced): "has its clock synced"
        case .clock(.unsynced): "has its clock unsynced: its times may be wrong"
        case .lost(let number, let reason):
            "lost \(count(number, "message")): \(reason.printable(limit: 24))"
        case .missed(let number): "missed \(count(number, "message")): they did not come"
        case .dropped(let number): "dropped \(count(number, "packet")) before they could be read"
        }
    }
}

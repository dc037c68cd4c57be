import JSON
import Posix
import Primitives
import Regions
import Results
import Terminal

/// The regions of servers, for a terminal.
enum LiveRegions {
    /// - Parameter subject: the beacon or the tag that is shown alone; `nil` for all.
    static func content(subject: String?) -> LiveResults.Content {
        .init(
            state: RegionResult.kind, event: RegionEventResult.kind, key: "regions",
            isAsked: { event in
                guard let subject else { return true }
                return event["beacon"] == .string(subject) || event["tag"] == .string(subject)
            }, sentence: sentence
        ) { states in (table(states).lines, .done) }
    }

    private static func table(_ states: [LiveResults.State]) -> TextTable {
        let kind = RegionResult.kind
        return kind.terminalTable(
            ["REGION"],
            rows: states.map {
                ["\($0.site)/\($0.item)"] + kind.terminalCells(of: $0.document)
            })
    }

    /// `14:03:07  store-042/shop  exit  TAG  silence 12 s of 11.6 s, 1.9 reports a second, till-1`
    static func sentence(_ event: JSON) -> String {
        let words = ["event", "beacon", "tag"].compactMap { text(event[$0]) }
        let time = LiveResults.time(event["at"]).map { LocalDay.clockTime(of: $0) } ?? ""
        let place = "\(text(event["site"]) ?? "")/\(text(event["region"]) ?? "")"
        return ([time, place] + words + [why(event["why"] ?? .null)]).joined(separator: "  ")
    }

    private static func why(_ why: JSON) -> String {
        var parts: [String] = []
        if let reports = number(why["reports"]), let power = number(why["rssi"]) {
            parts.append("\(whole(reports)) reports, \(whole(power)) dBm")
        }
        if let silence = number(why["silenceMs"]) {
            let limit = number(why["deadlineMs"]).map { " of \(seconds($0))" } ?? ""
            parts.append("silence \(seconds(silence))\(limit)")
        }
        if let rate = number(why["ratePerSecond"]) { parts.append("\(tenths(rate)) reports/s") }
        if let rate = number(why["falsePerDay"]) { parts.append("\(tenths(rate)) false/day") }
        if case .array(let gateways)? = why["gateways"] {
            parts.append(gateways.compactMap(text).joined(separator: " "))
        }
        return parts.joined(separator: ", ")
    }

    private static func text(_ value: JSON?) -> String? { LiveResults.text(value) }

    private static func number(_ value: JSON?) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private static func whole(_ number: Double) -> String {
        "\(Int64(min(max(number, -1e6), 1e6).rounded()))"
    }

    private static func tenths(_ number: Double) -> String {
        "\((min(max(number, 0), 1e6) * 10).rounded() / 10)"
    }

    private static func seconds(_ milliseconds: Double) -> String {
        tenths(milliseconds / 1000) + " s"
    }
}

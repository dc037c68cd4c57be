import JSON
import Posix
import Primitives

/// The queues as an HTML table, for browsers without JavaScript. It has the numbers and the words of the page.
///
/// Names have no characters that HTML needs to escape (`Topics.isName`).
struct QueueTable {
    private let queues: [JSON]

    init(_ queues: [JSON]) { self.queues = queues }

    private static let head = ["Site", "Queue", "State", "People in line", "Wait", "Tills open"]
    private static let caption =
        "Queues now. Wait: of a person who joins now. In parentheses: the range that is right in 9 of 10 cases. "

    var html: String {
        "<table><caption>\(Self.caption)\(age)</caption><thead><tr>"
            + Self.head.map { "<th scope=\"col\">\($0)</th>" }.joined()
            + "</tr></thead><tbody>" + queues.map(Self.row).joined() + "</tbody></table>"
    }

    /// The time of the latest numbers: a browser may show them long after that.
    private var age: String {
        let latest = queues.compactMap { queue -> Int64? in
            guard case .integer(let at)? = queue["at"] else { return nil }
            return at
        }.max()
        let time = latest.flatMap { Self.time(.integer($0)) }
        return (time.map { "The numbers are those of \($0). " } ?? "")
            + "Load this page again for newer numbers."
    }

    private static func row(_ queue: JSON) -> String {
        let cells = [state(queue), people(queue), wait(queue["wait"]), tills(queue["tills"])]
        return "<tr><td>\(text(queue["site"]))</td><th scope=\"row\">\(text(queue["queue"]))</th>"
            + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }

    /// `unknown since 12:04: till-1 deaf`.
    private static func state(_ queue: JSON) -> String {
        let state = text(queue["state"])
        guard state != "ok" else { return state }
        var reasons: [JSON] = []
        if case .array(let list)? = queue["reasons"] { reasons = list }
        let words = reasons.map { reason in
            "\(text(reason["gateway"])) \(text(reason["state"]))"
                + (time(reason["until"]).map { " until \($0)" } ?? "")
        }
        return state + (time(queue["since"]).map { " since \($0)" } ?? "")
            + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
    }

    /// Without a coverage, only people with a beacon count.
    private static func people(_ queue: JSON) -> String {
        guard let length = queue["length"], let people = number(length["people"]) else {
            return "unknown"
        }
        return "\(Int64(people.rounded()))"
            + ((queue["coverage"] ?? .null) == .null ? " with a beacon" : "")
            + " (\(text(length["low"])) to \(text(length["high"])))"
    }

    /// Below a minute and a half in tens of seconds, then in minutes; the range is rounded outwards.
    private static func wait(_ wait: JSON?) -> String {
        guard let value = number(wait?["ms"]), let low = number(wait?["lowMs"]),
            let high = number(wait?["highMs"])
        else { return "unknown" }
        let (unit, scale, name): (Double, Int64, String) =
            value < 90_000 ? (10_000, 10, "second") : (60_000, 1, "minute")
        return count(Int64((value / unit).rounded()) * scale, name)
            + " (\(Int64((low / unit).rounded(.down)) * scale) to \(Int64((high / unit).rounded(.up)) * scale))"
    }

    private static func tills(_ tills: JSON?) -> String {
        guard let open = tills?["open"] else { return "unknown" }
        return "\(text(open)) of \(text(tills?["of"]))"
    }

    private static func number(_ value: JSON?) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private static func text(_ value: JSON?) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: "unknown"
        }
    }

    /// `12:04`, by the clock of the server.
    private static func time(_ value: JSON?) -> String? {
        guard case .integer(let milliseconds)? = value else { return nil }
        let minute = LocalDay.clockMinute(of: UnixTime(milliseconds: milliseconds))
        let digits = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return digits(minute / 60) + ":" + digits(minute % 60)
    }
}

import JSON
import Posix
import Primitives

/// The queues as an HTML table, for browsers without JavaScript. It has the numbers and the words of the page.
///
/// Names have no characters that HTML needs to escape (`Topics.isName`).
struct QueueTable {
    private let queues: [JSON]

    init(_ queues: [JSON]) { self.queues = queues }

    /// In its place, where only a token opens the numbers.
    static let locked = "<p>The server shows the queues only with a token.</p>"

    private static let head = [
        "Site", "Queue", "State", "People in line", "Wait", "Past forecasts", "Tills open",
        "Share with a beacon",
    ]
    private static let caption =
        "Queues now. Wait: of a person who joins now. In parentheses: the range that is right in 9 of 10 cases, or a guess. "

    var html: String {
        "<table class=\"queue-table\"><caption>\(Self.caption)\(age)</caption><thead><tr>"
            + Self.head.map { "<th scope=\"col\">\($0)</th>" }.joined()
            + "</tr></thead><tbody>" + queues.map(Self.row).joined() + "</tbody></table>"
            + selfCheck
    }

    /// Without a visit, there is nothing to agree.
    private var selfCheck: String {
        let failed = queues.filter { (Self.number($0["littleResidualMs"]) ?? 0) != 0 }
        guard failed.isEmpty else {
            let names = failed.map { Self.text($0["queue"]) }.joined(separator: ", ")
            return
                "<p>Self-check failed: the numbers of people in line and their waits do not agree (\(names)).</p>"
        }
        let isMeasured = queues.contains { queue in
            ["served", "abandoned"].contains { (Self.number(queue["leavers"]?[$0]) ?? 0) > 0 }
        }
        return isMeasured
            ? "<p>Self-check passed: the numbers of people in line and their waits agree (Little’s law).</p>"
            : ""
    }

    /// The time of the latest numbers: a browser may show them long after that.
    private var age: String {
        let latest = queues.compactMap { queue -> Int64? in
            guard case .integer(let at)? = queue["at"] else { return nil }
            return at
        }.max()
        let time = latest.map { at in
            let date = LocalDay(containing: UnixTime(milliseconds: at), beginningAt: 0).name
            return "The numbers are those of \(date), \(Self.time(at)). "
        }
        return (time ?? "")
            + "Load this page again for newer numbers."
    }

    private static func row(_ queue: JSON) -> String {
        let site = text(queue["site"]), name = text(queue["queue"])
        let cells = [
            state(queue), people(queue), wait(queue), score(queue), tills(queue["tills"]),
            share(queue["coverage"]),
        ]
        return "<tr>\(cell(head[0], site))<th scope=\"row\">\(name)</th>"
            + zip(head.dropFirst(2), cells).map(cell).joined() + "</tr>"
    }

    /// A phone shows a row as a block, and the name of the column beside each number.
    private static func cell(_ name: String, _ text: String) -> String {
        "<td data-name=\"\(name)\">\(text)</td>"
    }

    /// `Unknown since 12:04: till-1 does not hear`.
    private static func state(_ queue: JSON) -> String {
        guard text(queue["state"]) != "ok" else { return "ok" }
        let state = (queue["length"] ?? .null) == .null ? "Unknown" : "Less certain"
        guard let since = moment(queue["since"]) else {
            return state + ": no messages have arrived yet"
        }
        var reasons: [JSON] = []
        if case .array(let list)? = queue["reasons"] { reasons = list }
        let ends = reasons.map { moment($0["until"]) }
        let isOver = !ends.isEmpty && ends.allSatisfy { $0 != nil }
        let same = ends.compactMap(\.self).first { minute($0) == minute(since) }
        let aftermath = isOver ? ". A person who is still near may have joined unseen" : ""
        return "\(state) since \(time(since, beside: same))\(aftermath)"
            + (reasons.isEmpty ? "" : ": ")
            + reasons.map { reason($0, since) }.joined(separator: ", ")
    }

    /// What a gateway does in a state, and what it did, as in `Page/words.js`.
    private static let faults = [
        "deaf": ("* does not hear", "* did not hear"),
        "silent": ("messages of * are missing", "messages of * were missing"),
        "unknown": ("messages of * are missing", "messages of * were missing"),
        "offline": ("* is offline", "* was offline"),
        "lost": ("messages of * are lost", "messages of * were lost"),
        "unsynced": ("the clock of * is not set", "the clock of * was not set"),
        "learning": (
            "* is still learning which beacons are near",
            "* was still learning which beacons are near"
        ),
    ]

    /// `till-1 does not hear`, or `till-1 did not hear until 12:03`.
    private static func reason(_ reason: JSON, _ since: Int64) -> String {
        let state = text(reason["state"]), until = moment(reason["until"])
        let (present, past) = faults[state] ?? ("* is \(state)", "* was \(state)")
        let words = (until == nil ? present : past).split(
            separator: "*", omittingEmptySubsequences: false)
        return words.joined(separator: text(reason["gateway"]))
            + (until.map { " until \(time($0, beside: since))" } ?? "")
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

    /// The range is rounded outwards, in the unit of the value.
    private static func wait(_ queue: JSON) -> String {
        guard let wait = queue["wait"], let value = number(wait["ms"]),
            let low = number(wait["lowMs"]), let high = number(wait["highMs"])
        else { return (queue["length"] ?? .null) == .null ? "unknown" : "No forecast yet" }
        let count = isShort(value) ? tens : minutes
        let note = wait["learning"] == .bool(true) ? ", a guess" : ""
        return "\(duration(value)) (\(count(low, .down)) to \(count(high, .up))\(note))"
    }

    private static func score(_ queue: JSON) -> String {
        guard let wait = queue["wait"], wait != .null else {
            return (queue["length"] ?? .null) == .null ? "unknown" : "none"
        }
        guard let error = number(wait["meanErrorMs"]), wait["scored"] != 0 else {
            return "No forecast has been compared with a wait yet"
        }
        return "missed by \(duration(error)) on average"
            + (wait["learning"] == .bool(true) ? ", few so far" : "")
    }

    /// Below a minute and a half in tens of seconds, below five minutes in half minutes, then in minutes, from two hours on in
    /// hours and minutes.
    private static func duration(_ milliseconds: Double) -> String {
        let rule = FloatingPointRoundingRule.toNearestOrAwayFromZero
        if isShort(milliseconds) { return "\(tens(milliseconds, rule)) seconds" }
        let count = Int64((milliseconds / 60_000).rounded(rule))
        guard count >= 120 else { return "\(minutes(milliseconds, rule)) minutes" }
        let rest = count % 60
        return "\(count / 60) hours"
            + (rest == 0 ? "" : rest == 1 ? " 1 minute" : " \(rest) minutes")
    }

    /// Whether the rounded value is below a minute and a half.
    private static func isShort(_ milliseconds: Double) -> Bool { milliseconds < 85_000 }

    private static func tens(
        _ milliseconds: Double, _ rule: FloatingPointRoundingRule
    ) -> String {
        "\(Int64((milliseconds / 10_000).rounded(rule)) * 10)"
    }

    /// `2½`.
    private static func minutes(
        _ milliseconds: Double, _ rule: FloatingPointRoundingRule
    ) -> String {
        guard milliseconds < 300_000 else {
            return "\(Int64((milliseconds / 60_000).rounded(rule)))"
        }
        let halves = Int64((milliseconds / 30_000).rounded(rule))
        guard halves % 2 == 1 else { return "\(halves / 2)" }
        return (halves > 1 ? "\(halves / 2)" : "") + "½"
    }

    /// `30 % (25 to 35 %)`.
    private static func share(_ coverage: JSON?) -> String {
        guard let percent = number(coverage?["percent"]) else { return "unknown" }
        var text = "\(Int64(percent.rounded())) %"
        if let low = number(coverage?["lowPercent"]), let high = number(coverage?["highPercent"]),
            low < high
        {
            text += " (\(Int64(low.rounded(.down))) to \(Int64(high.rounded(.up))) %)"
        }
        return text
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

    private static func moment(_ value: JSON?) -> Int64? {
        guard case .integer(let milliseconds)? = value else { return nil }
        return milliseconds
    }

    private static func minute(_ milliseconds: Int64) -> Int64 { milliseconds / 60_000 }

    /// `12:04`, by the clock of the server; with its seconds if the other time is in the same minute.
    private static func time(_ milliseconds: Int64, beside other: Int64? = nil) -> String {
        let digits = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        let clock = LocalDay.clockMinute(of: UnixTime(milliseconds: milliseconds))
        let text = digits(clock / 60) + ":" + digits(clock % 60)
        guard let other, minute(other) == minute(milliseconds) else { return text }
        return text + ":" + digits(Int(milliseconds / 1000 % 60))
    }
}

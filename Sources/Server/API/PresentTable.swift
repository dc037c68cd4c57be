import JSON
import Posix
import Primitives
import Results

/// The present states of a kind as an HTML table, for browsers without JavaScript. Its columns are those that the kind declares.
///
/// Names have no characters that HTML needs to escape (`Topics.isName`).
struct PresentTable {
    private let kind: ResultKind
    private let documents: [JSON]

    init(_ kind: ResultKind, _ documents: [JSON]) {
        self.kind = kind
        self.documents = documents
    }

    /// In its place, where only a token opens the numbers.
    static let locked = "<p>The server shows its results only with a token.</p>"

    var html: String {
        let titles = ["Site", kind.title] + kind.columns.map(\.column.title)
        return "<table class=\"queue-table\"><caption>\(caption)</caption><thead><tr>"
            + titles.map { "<th scope=\"col\">\($0)</th>" }.joined() + "</tr></thead><tbody>"
            + documents.map(row).joined() + "</tbody></table>" + checks
    }

    private func row(_ document: JSON) -> String {
        let cells = kind.columns.map { field, column in
            Self.cell(column.title, field.cell(column, of: document, clock: Self.clock))
        }
        return "<tr>" + Self.cell("Site", Self.name(document["site"]))
            + "<th scope=\"row\">\(Self.name(document[kind.name]))</th>" + cells.joined()
            + "</tr>"
    }

    /// A phone shows a row as a block, and the name of the column beside each number.
    private static func cell(_ name: String, _ text: String) -> String {
        "<td data-name=\"\(name)\">\(text)</td>"
    }

    private static func name(_ value: JSON?) -> String {
        if case .string(let name)? = value { name } else { "" }
    }

    /// With the time of the latest numbers: a browser may show them long after that.
    private var caption: String {
        let latest = documents.compactMap { document -> Int64? in
            if case .integer(let at)? = document["at"] { at } else { nil }
        }.max()
        let time = latest.map(UnixTime.init(milliseconds:)).map { at in
            let day = LocalDay(containing: at, beginningAt: 0).name
            return "The numbers are those of \(day), \(Self.clock(at)). "
        }
        return "In parentheses: the interval that holds in 9 of 10 cases. " + (time ?? "")
            + "Load this page again for newer numbers."
    }

    /// The items whose check failed.
    private var checks: String {
        let failed = documents.filter { document in
            kind.parts.contains { $0.isCheck && (document[$0.name] ?? 0) != 0 }
        }
        let names = failed.map { Self.name($0[kind.name]) }.joined(separator: ", ")
        return failed.isEmpty ? "" : "<p>Self-check failed: \(names).</p>"
    }

    /// `12:04`, by the clock of the server.
    private static func clock(_ time: UnixTime) -> String {
        let digits = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        let minute = LocalDay.clockMinute(of: time)
        return digits(minute / 60) + ":" + digits(minute % 60)
    }
}

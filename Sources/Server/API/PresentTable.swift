import JSON
import Posix
import Primitives
import Results

/// The present states of a kind as an HTML table, for browsers without JavaScript. Its columns are those that the kind declares.
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
            + documents.prefix(Self.most).map(row).joined() + "</tbody></table>" + rest + checks
    }

    /// A site may have thousands of beacons.
    private static let most = 500

    private var rest: String {
        let rest = documents.count - Self.most
        return rest > 0 ? "<p>The API has \(rest.grouped) more.</p>" : ""
    }

    private func row(_ document: JSON) -> String {
        let cells = kind.columns.map { field, column in
            Self.cell(column.title, field.cell(column, of: document, clock: clock))
        }
        return "<tr>" + Self.cell("Site", Self.name(document["site"]))
            + "<th scope=\"row\">\(Self.escaped(Self.name(document[kind.name])))</th>"
            + cells.joined() + "</tr>"
    }

    /// A phone shows a row as a block, and the name of the column beside each number.
    private static func cell(_ name: String, _ text: String) -> String {
        "<td data-name=\"\(name)\">\(escaped(text))</td>"
    }

    private static func name(_ value: JSON?) -> String {
        if case .string(let name)? = value { name } else { "" }
    }

    /// The names of beacons are people's words.
    private static func escaped(_ text: String) -> String {
        let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.unicodeScalars.map { entities[$0] ?? String($0) }.joined()
    }

    /// That of the numbers; `nil` without any.
    private var latest: UnixTime? {
        documents.compactMap { document -> UnixTime? in
            if case .integer(let at)? = document["at"] { UnixTime(milliseconds: at) } else { nil }
        }.max()
    }

    /// With the time of the latest numbers: a browser may show them long after that.
    private var caption: String {
        let time = latest.map { at in
            let day = LocalDay(containing: at, beginningAt: 0).name
            return "The numbers are those of \(day), \(clock(at)). "
        }
        let hasIntervals = kind.columns.contains { $0.column.low != nil }
        return (hasIntervals ? "In parentheses: the interval that holds in 9 of 10 cases. " : "")
            + (time ?? "") + "Load this page again for newer numbers."
    }

    /// The items whose check failed.
    private var checks: String {
        let failed = documents.filter { document in
            kind.parts.contains { $0.isCheck && (document[$0.name] ?? 0) != 0 }
        }
        let names = failed.map { Self.name($0[kind.name]) }.joined(separator: ", ")
        return failed.isEmpty ? "" : "<p>Self-check failed: \(names).</p>"
    }

    /// `12:04`, by the clock of the server; with the date, if it is not that of the numbers.
    private func clock(_ time: UnixTime) -> String {
        String(LocalDay.clockTime(of: time, at: latest ?? time).dropLast(3))
    }
}

import Contract
import JSON
import Posix
import Primitives

/// A table of sites and gateways that people write: CSV with a header row, or a JSON array of objects.
package struct PlanFile {
    /// All faults of a file: sentences without a full stop, most of them with a line or row.
    package struct Invalid: Error, Equatable {
        package let sentences: [String]

        package init(_ sentences: [String]) { self.sentences = sentences }
    }

    /// A column's value: text of a CSV file, or a value of a JSON one.
    package enum Cell {
        case text(String)
        case json(JSON)

        /// An empty cell says nothing.
        package var isEmpty: Bool {
            switch self {
            case .text(let text): text.isEmpty
            case .json(let json): json == .string("")
            }
        }

        /// The text of a name.
        package var name: String? {
            switch self {
            case .text(let text): text
            case .json(.string(let text)): text
            case .json: nil
            }
        }

        /// The text of a label: numbers of JSON as well.
        var label: String {
            switch self {
            case .text(let text), .json(.string(let text)): text
            case .json(let json): json.text
            }
        }
    }

    /// A row of the file, without empty cells.
    package struct Record {
        /// `line 7`, or `row 7` of a JSON array.
        package let place: String
        package let cells: [(column: String, cell: Cell)]

        /// The name in the column `site` or `gateway`; `nil` without one, after a sentence about a wrong one.
        package func name(_ column: String, _ note: (String) -> Void) -> String? {
            guard let cell = cells.first(where: { $0.column == column })?.cell else { return nil }
            if let name = cell.name, Topics.isName(name) { return name }
            let shown = cell.name.map { ", not “\($0.printable(limit: 100))”" } ?? ""
            note("\(place): \(column) must be \(Topics.nameRule)\(shown)")
            return nil
        }
    }

    /// The header row of a CSV file with its place.
    package private(set) var header: (place: String, columns: [String])?
    package private(set) var records: [Record] = []
    /// The faults of single rows.
    package private(set) var faults: [String] = []

    /// The most bytes of a file: enough for more gateways than any fleet has.
    package static let maxBytes = 16 << 20
    private static let mostRows = 100_000

    /// The path of standard input.
    package static let standardInput = "-"

    /// Reads a file, or standard input.
    package init(path: String) throws(Invalid) {
        let bytes: [UInt8]
        do throws(TextFile.Unreadable) {
            bytes = try TextFile.contents(
                of: TextFile.open(path, standardInput: Self.standardInput), maxBytes: Self.maxBytes)
        } catch {
            throw Invalid(["can't be read: \(error)"])
        }
        try self.init(parsing: bytes)
    }

    package init(parsing bytes: [UInt8]) throws(Invalid) {
        guard bytes.count <= Self.maxBytes else {
            throw Invalid(["the file has more than \(Self.maxBytes.grouped) bytes"])
        }
        let first = bytes.first { $0 != 0x20 && !(9...13).contains($0) }
        if first == UInt8(ascii: "[") {
            try read(json: bytes)
        } else {
            try read(csv: bytes)
        }
    }

    private mutating func read(json bytes: [UInt8]) throws(Invalid) {
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try JSON(parsing: bytes, maxBytes: Self.maxBytes)
        } catch {
            throw Invalid([error.fault.message])
        }
        guard case .array(let elements) = json, elements.count <= Self.mostRows else {
            throw Invalid(["expected an array of at most \(Self.mostRows.grouped) objects"])
        }
        for (index, element) in elements.enumerated() {
            let place = "row \(index + 1)"
            guard case .object(let members) = element else {
                faults.append("\(place): expected an object, not \(element.kind)")
                continue
            }
            add(members.map { ($0.key, .json($0.value)) }, at: place)
        }
    }

    private mutating func read(csv bytes: [UInt8]) throws(Invalid) {
        let all: [CSV.Record]
        do throws(CSV.Fault) {
            all = try CSV(bytes).records
        } catch {
            throw Invalid(["line \(error.line): \(error.sentence)"])
        }
        guard let first = all.first, all.count <= Self.mostRows else {
            throw Invalid([
                all.isEmpty ? "the file is empty" : "more than \(Self.mostRows.grouped) rows"
            ])
        }
        let columns = first.cells.map(Self.column)
        let heading = "line \(first.line)"
        header = (heading, columns)
        for (index, column) in columns.enumerated()
        where columns[..<index].contains(where: { Self.key(of: $0) == Self.key(of: column) }) {
            faults.append("\(heading): duplicate column \(column.printable())")
        }
        for record in all.dropFirst() {
            let place = "line \(record.line)"
            guard record.cells.count == columns.count else {
                faults.append(
                    "\(place): \(count(record.cells.count, "cell")), but the header has"
                        + " \(columns.count)")
                continue
            }
            add(zip(columns, record.cells).map { ($0, .text($1)) }, at: place)
        }
    }

    /// Of columns for one key, the first one counts; a header has reported the others already.
    private mutating func add(_ cells: [(String, Cell)], at place: String) {
        var keys: Set<String> = []
        var record: [(column: String, cell: Cell)] = []
        for (name, cell) in cells {
            let column = Self.column(name)
            if !keys.insert(Self.key(of: column)).inserted {
                if header == nil {
                    faults.append("\(place): duplicate key \(Self.key(of: column).printable())")
                }
            } else if !cell.isEmpty {
                record.append((column, cell))
            }
        }
        records.append(Record(place: place, cells: record))
    }
}

extension PlanFile {
    /// The columns with names of their own; all others are keys.
    package static let words = ["site", "major", "gateway", "minor"]

    /// The key of a column in the gateway's document.
    package static func key(of column: String) -> String {
        column == "minor" ? "advertise.minor" : column
    }

    /// What the columns of labels begin with, such as `label.floor`.
    package static let labelPrefix = "label."

    /// The column with this name in any case; unknown names are unchanged, but for blanks at their ends.
    private static func column(_ name: String) -> String {
        var rest = name[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        let lower = rest.lowercased()
        return lower.hasPrefix(labelPrefix) ? lower : columns[lower] ?? String(rest)
    }

    private static let columns = Dictionary(
        (words + GatewaySettings.keys.flatMap { [$0.name] + $0.paths() }).map {
            ($0.lowercased(), $0)
        }, uniquingKeysWith: { first, _ in first })
}

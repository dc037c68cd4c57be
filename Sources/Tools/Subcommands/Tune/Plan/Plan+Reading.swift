import JSON
import Posix
import Primitives

extension Plan {
    /// The most bytes of a file: enough for more gateways than any fleet has.
    static let maxBytes = 16 << 20
    private static let mostRows = 100_000

    /// The path of standard input.
    static let standardInput = "-"

    /// Reads a file, or standard input.
    init(path: String) throws(Invalid) {
        let bytes: [UInt8]
        do throws(TextFile.Unreadable) {
            bytes = try TextFile.contents(
                of: TextFile.open(path, standardInput: Self.standardInput), maxBytes: Self.maxBytes)
        } catch {
            throw Invalid(["can't be read: \(error)"])
        }
        try self.init(parsing: bytes)
    }

    /// Reads a JSON array of objects, or CSV with a header row; throws all faults.
    init(parsing bytes: [UInt8]) throws(Invalid) {
        guard bytes.count <= Self.maxBytes else {
            throw Invalid(["the file has more than \(Self.maxBytes.grouped) bytes"])
        }
        let first = bytes.first { $0 != 0x20 && !(9...13).contains($0) }
        var faults: [String] = []
        let rows =
            first == UInt8(ascii: "[")
            ? Self.rows(ofJSON: bytes, &faults) : Self.rows(ofCSV: bytes, &faults)
        if rows.isEmpty, faults.isEmpty { faults.append("there are no rows") }
        try self.init(rows, faults)
    }

    private static func rows(ofJSON bytes: [UInt8], _ faults: inout [String]) -> [PlanRow] {
        let json: JSON
        do throws(JSONSyntaxError) {
            json = try JSON(parsing: bytes, maxBytes: maxBytes)
        } catch {
            faults.append(error.fault.message)
            return []
        }
        guard case .array(let elements) = json, elements.count <= mostRows else {
            faults.append("expected an array of at most \(mostRows.grouped) objects")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            let place = "row \(index + 1)"
            guard case .object(let members) = element else {
                faults.append("\(place): expected an object, not \(element.kind)")
                return nil
            }
            let cells = members.map {
                (column: PlanRow.column($0.key), cell: PlanRow.Cell.json($0.value))
            }
            return PlanRow(cells.filter { !$0.cell.isEmpty }, at: place, &faults)
        }
    }

    private static func rows(ofCSV bytes: [UInt8], _ faults: inout [String]) -> [PlanRow] {
        let records: [CSV.Record]
        do throws(CSV.Fault) {
            records = try CSV(bytes).records
        } catch {
            faults.append("line \(error.line): \(error.sentence)")
            return []
        }
        guard let header = records.first, records.count <= mostRows else {
            faults.append(
                records.isEmpty ? "the file is empty" : "more than \(mostRows.grouped) rows")
            return []
        }
        let columns = header.cells.map { PlanRow.column($0.withoutBlanks) }
        guard let unusable = checkHeader(columns, at: "line \(header.line)", &faults) else {
            return []
        }
        return records.dropFirst().compactMap { record in
            let place = "line \(record.line)"
            guard record.cells.count == columns.count else {
                faults.append(
                    "\(place): \(count(record.cells.count, "cell")), but the header has"
                        + " \(columns.count)")
                return nil
            }
            let cells = zip(columns, record.cells)
                .map { (column: $0, cell: PlanRow.Cell.text($1)) }
                .filter { !$0.cell.isEmpty && !unusable.contains($0.column) }
            return PlanRow(cells, at: place, &faults)
        }
    }

    /// Reports the faults of the header.
    ///
    /// - Returns: the columns to ignore; `nil` if a required column is missing.
    private static func checkHeader(
        _ columns: [String], at place: String, _ faults: inout [String]
    ) -> Set<String>? {
        var unusable: Set<String> = []
        let before = faults.count
        func note(_ sentence: String) { faults.append("\(place): \(sentence)") }
        if !columns.contains("site") {
            note("the column site is missing")
        } else if columns.allSatisfy({ $0 == "site" || $0 == "gateway" }) {
            note("no column has values to set; expected a column major, minor, or another key")
        } else if !columns.contains("gateway"),
            let column = columns.first(where: { $0 != "site" && $0 != "major" })
        {
            note("the column gateway is missing; \(column.printable()) belongs to one")
        }
        // Otherwise every row would have the same fault.
        guard faults.count == before else { return nil }
        var keys: [String] = []
        for column in columns {
            let key = PlanRow.key(of: column)
            if keys.contains(key) {
                note("duplicate column \(column.printable())")
                unusable.insert(column)
            }
            keys.append(key)
            guard !PlanRow.words.contains(column) else { continue }
            do throws(Assignment.Invalid) {
                let assignment = try Assignment(key: key, value: .null)
                let faults = JSON.object([]).applying(assignment.keepingNulls)
                    .faultsOfSections
                // A whole section may be a column as well.
                for fault in faults {
                    note(PlanRow.sentence(fault, of: column))
                    unusable.insert(column)
                }
            } catch {
                note(error.sentence)
                unusable.insert(column)
            }
        }
        return unusable
    }
}

extension String {
    /// Without spaces at both ends.
    fileprivate var withoutBlanks: String {
        var rest = self[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}

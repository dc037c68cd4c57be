import JSON
import Primitives
import Terminal

extension Plan {
    /// Reads a file, or standard input; throws all faults.
    init(path: String) throws(PlanFile.Invalid) { try self.init(try PlanFile(path: path)) }

    init(parsing bytes: [UInt8]) throws(PlanFile.Invalid) {
        try self.init(try PlanFile(parsing: bytes))
    }

    private init(_ file: PlanFile) throws(PlanFile.Invalid) {
        var faults = file.faults
        var ignored: Set<String> = []
        if let header = file.header {
            guard let unusable = Self.checkHeader(header.columns, at: header.place, &faults) else {
                throw PlanFile.Invalid(Self.sorted(faults))
            }
            ignored = unusable
        }
        let rows = file.records.compactMap { PlanRow($0, ignoring: ignored, &faults) }
        if rows.isEmpty, faults.isEmpty { faults.append("there are no rows") }
        try self.init(rows, faults)
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
        } else if columns.allSatisfy({ $0 == "site" || $0 == "gateway" || PlanRow.isLabel($0) }) {
            note("no column has values to set; expected a column major, minor, or another key")
        } else if !columns.contains("gateway"),
            let column = columns.first(where: {
                $0 != "site" && $0 != "major" && !PlanRow.isLabel($0)
            })
        {
            note("the column gateway is missing; \(column.printable()) belongs to one")
        }
        // Otherwise every row would have the same fault.
        guard faults.count == before else { return nil }
        for column in columns {
            guard !PlanFile.words.contains(column), !PlanRow.isLabel(column) else {
                continue
            }
            do throws(Assignment.Invalid) {
                let assignment = try Assignment(key: PlanFile.key(of: column), value: .null)
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

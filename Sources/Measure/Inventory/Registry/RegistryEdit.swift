import Beacons
import Primitives

/// A change of one row of beacons.csv. All other rows, and columns without a meaning here, stay as they are.
package struct RegistryEdit: Sendable {
    package struct Change: Equatable, Sendable {
        package let column: String
        /// Empty without a value.
        package let old: String
        package let new: String
    }

    /// The new file.
    package let bytes: [UInt8]
    /// The cells that differ.
    package let changes: [Change]

    /// - Parameters:
    ///   - file: without a fault.
    ///   - values: of columns, by their names. A column that the file lacks becomes its last one.
    /// - Throws: the first fault of the new file.
    package init(
        _ file: [UInt8], line: Int, _ values: [(column: String, value: String)]
    ) throws(Registry.Fault) {
        let table: CSV
        do throws(CSV.Fault) { table = try CSV(file) } catch {
            throw Registry.Fault(line: error.line, sentence: error.sentence)
        }
        guard let header = table.records.first,
            let record = table.records.first(where: { $0.line == line })
        else { throw Registry.Fault(line: line, sentence: "there is no such row") }
        var (names, cells) = (header.cells, record.cells)
        var changes: [Change] = []
        for (column, value) in values {
            let place = names.firstIndex { $0.trimmed.lowercased() == column.lowercased() }
            guard let place else {
                guard !value.isEmpty else { continue }
                names.append(column)
                cells.append(value)
                changes.append(Change(column: column, old: "", new: value))
                continue
            }
            let old = String(cells[place].trimmed)
            guard old != value else { continue }
            cells[place] = value
            changes.append(Change(column: column, old: old, new: value))
        }
        let added = names.dropFirst(header.cells.count)
        var text: [UInt8] = []
        var rest = 0
        for other in table.records {
            text += file[rest..<other.bytes.lowerBound]
            rest = other.bytes.upperBound
            if other == record, !changes.isEmpty {
                text += RegistryText.row(cells, separator: table.separator).utf8
            } else {
                text += file[other.bytes]
                for name in added {
                    text += "\(table.separator)\(other == header ? name : "")".utf8
                }
            }
        }
        bytes = text + file[rest...]
        self.changes = changes
        if let fault = Registry(parsing: bytes).faults.first { throw fault }
    }
}

extension Registry {
    /// Why no row has a name.
    package enum Unnamed: Error, Equatable, Sendable {
        /// The names or labels among which a wrong word is.
        case unknown(among: [String])
        /// The labels of all beacons of that name.
        case several([String])
    }

    /// The row of a beacon that has begun last.
    ///
    /// - Parameter word: its label, such as UUID/MAJOR/MINOR, its name, or MAJOR/MINOR.
    package func row(of word: String, on date: String) throws(Unnamed) -> RegisteredBeacon {
        let label = BeaconIdentity(word).map { "\($0)" } ?? word.lowercased()
        var rows = beacons.filter { $0.label == label }
        if rows.isEmpty { rows = beacons.filter { $0.name == word } }
        if rows.isEmpty, word.contains("/") {
            rows = beacons.filter { $0.label.hasSuffix("/\(word)") }
        }
        let labels = Set(rows.map(\.label)).sorted()
        guard labels.count < 2 else { throw .several(labels) }
        let begun = rows.filter { ($0.since ?? "") <= date }
        guard let row = begun.max(by: { ($0.since ?? "") < ($1.since ?? "") }) ?? rows.first else {
            let words = beacons.map { word.contains("/") ? $0.label : $0.name ?? $0.label }
            throw .unknown(among: Array(words.prefix(Self.mostCompared)))
        }
        return row
    }

    /// The distance of a word to each of them costs time.
    private static let mostCompared = 5000
}

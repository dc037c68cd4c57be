import Posix
import Primitives

/// The rows of a damaged file, read from its pages without SQLite (sqlite.org/fileformat2.html, sections 1.5 and 1.6).
///
/// SQLite finds the leaves of a table only through its inner pages: one damaged inner page hides the leaves behind it. The scan
/// reads each leaf of the file. The root pages tell to which table it belongs, as far as inner pages lead to it. The owner
/// checks each row, since its bytes can be damaged too.
package struct PageScan {
    /// A row of a table, or an entry of an index.
    package struct Record {
        /// The number of the row; `nil` in an index.
        package let id: Int64?
        /// `nil` for NULL, and for real numbers, which no table here has.
        package let values: [SQLiteDatabase.Value?]
    }

    private enum Kind {
        static let innerIndex: UInt8 = 2
        static let innerTable: UInt8 = 5
        static let leafIndex: UInt8 = 10
        static let leafTable: UInt8 = 13
    }

    /// The header of the file, in its first page.
    private static let header = 100
    /// The longest record in bytes, more than any message has.
    private static let longest = 16 << 20

    private let file: PageFile
    /// The root pages of tables and indexes by their names.
    private var roots: [String: Int] = [:]
    /// The names of the trees that have a page.
    private var owners: [Int: Set<String>] = [:]

    /// The leaves of tables.
    private var leaves: [Int] = []

    /// - Parameter size: of a page.
    package init(path: String, pageSize size: Int) throws(Errno) {
        file = try PageFile(path: path, pageSize: size)
        for page in pages(of: 1) {
            for row in records(of: page) where row.values.count == 5 {
                if case .text(let name) = row.values[1], case .integer(let root) = row.values[3] {
                    roots[name] = Int(clamping: root)
                }
            }
        }
        for (name, root) in roots {
            for page in pages(of: root) { owners[page, default: []].insert(name) }
        }
        for page in 1...max(1, file.count) where kind(of: page) == Kind.leafTable {
            leaves.append(page)
        }
    }

    /// Visits the rows of the leaves that belong to a table, or to no known one, in the order of their numbers.
    ///
    /// A row of a known leaf is newer than one of the same number in an unused page.
    ///
    /// - Parameter visit: gets a row, and whether its leaf is known as one of the table.
    package func rows(of table: String, visit: (Record, _ isKnown: Bool) -> Void) {
        var leaves: [(first: Int64, page: Int)] = []
        for page in self.leaves where owners[page]?.contains(table) ?? true {
            if let first = records(of: page).first?.id { leaves.append((first, page)) }
        }
        leaves.sort { $0 < $1 }
        let known = leaves.filter { owners[$0.page] != nil }
        var near: (page: Int, ids: Set<Int64>) = (0, [])
        for (_, page) in leaves {
            let isKnown = owners[page] != nil
            for record in records(of: page) {
                if !isKnown, let id = record.id {
                    let next = known.partitioningIndex { $0.first > id }
                    if next > 0, near.page != known[next - 1].page {
                        let page = known[next - 1].page
                        near = (page, Set(records(of: page).compactMap(\.id)))
                    }
                    if next > 0, near.ids.contains(id) { continue }
                }
                visit(record, isKnown)
            }
        }
    }

    /// Visits the entries of an index, as far as inner pages lead to them.
    package func entries(of index: String, visit: (Record) -> Void) {
        guard let root = roots[index] else { return }
        for page in pages(of: root) {
            guard [Kind.leafIndex, Kind.innerIndex].contains(kind(of: page)) else { continue }
            for record in records(of: page) { visit(record) }
        }
    }

    // MARK: Pages

    private func kind(of number: Int) -> UInt8? { file.page(number)?[start(of: number)] }

    /// Where the page's own header begins.
    private func start(of number: Int) -> Int { number == 1 ? Self.header : 0 }

    /// The pages of a tree, as far as its inner pages can be read.
    private func pages(of root: Int) -> Set<Int> {
        var found: Set<Int> = []
        var open = [root]
        while let number = open.popLast() {
            guard !found.contains(number), let bytes = file.page(number) else { continue }
            found.insert(number)
            let start = start(of: number)
            guard [Kind.innerTable, Kind.innerIndex].contains(bytes[start]) else { continue }
            open.append(Self.number(bytes, start + 8))
            open += cells(bytes, start, header: 12).map { Self.number(bytes, $0) }
        }
        return found
    }

    /// The places of a page's cells.
    private func cells(_ bytes: [UInt8], _ start: Int, header: Int) -> [Int] {
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        return (0..<count).compactMap { index in
            let place = start + header + 2 * index
            guard place + 2 <= file.size else { return nil }
            let cell = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            return cell >= start + header && cell + 4 <= file.size ? cell : nil
        }
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
        guard at + 4 <= bytes.count else { return 0 }
        return bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: Records

    private func records(of number: Int) -> [Record] {
        guard let bytes = file.page(number) else { return [] }
        let start = start(of: number)
        switch bytes[start] {
        case Kind.leafTable:
            return cells(bytes, start, header: 8).compactMap { record(bytes, $0, isTable: true) }
        case Kind.leafIndex:
            return cells(bytes, start, header: 8).compactMap { record(bytes, $0, isTable: false) }
        case Kind.innerIndex:
            // Behind the number of the page with the smaller entries.
            return cells(bytes, start, header: 12)
                .compactMap { record(bytes, $0 + 4, isTable: false) }
        default: return []
        }
    }

    private func record(_ bytes: [UInt8], _ cell: Int, isTable: Bool) -> Record? {
        var reader = RecordReader(bytes[cell...])
        guard let length = reader.varint().flatMap({ Int(exactly: $0) }),
            0...Self.longest ~= length
        else { return nil }
        var id: Int64?
        if isTable {
            guard let number = reader.varint() else { return nil }
            id = number
        }
        guard let payload = payload(bytes, reader.offset, length, isTable: isTable) else {
            return nil
        }
        return RecordReader.values(of: payload).map { Record(id: id, values: $0) }
    }

    /// The bytes of a record: those in the page, and those in the overflow pages that follow.
    private func payload(
        _ bytes: [UInt8], _ start: Int, _ length: Int, isTable: Bool
    ) -> [UInt8]? {
        let size = file.size
        let least = (size - 12) * 32 / 255 - 23
        let most = isTable ? size - 35 : (size - 12) * 64 / 255 - 23
        let fitting = least + (length - least) % (size - 4)
        let local = length <= most ? length : fitting <= most ? fitting : least
        guard start + local <= size else { return nil }
        var payload = Array(bytes[start..<start + local])
        var next = local < length ? Self.number(bytes, start + local) : 0
        while payload.count < length {
            guard let overflow = file.page(next) else { return nil }
            payload += overflow[4..<min(size, 4 + length - payload.count)]
            next = Self.number(overflow, 0)
        }
        return payload
    }
}

/// A record of a page (section 2.1 of the file format).
private struct RecordReader {
    private let bytes: ArraySlice<UInt8>
    private(set) var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    /// A number of one to nine bytes.
    mutating func varint() -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset < bytes.endIndex else { return nil }
            let byte = bytes[offset]
            offset += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: value)
    }

    /// `nil` if the bytes are no record.
    static func values(of record: [UInt8]) -> [SQLiteDatabase.Value?]? {
        var header = RecordReader(record[...])
        guard let size = header.varint().flatMap({ Int(exactly: $0) }),
            header.offset...record.count ~= size
        else { return nil }
        var body = RecordReader(record[size...])
        var values: [SQLiteDatabase.Value?] = []
        while header.offset < size {
            guard let type = header.varint() else { return nil }
            switch type {
            case 0: values.append(nil)
            case 1...6:
                let width = [1, 2, 3, 4, 6, 8][Int(type) - 1]
                guard let part = body.take(width) else { return nil }
                let sign: Int64 = (part.first ?? 0) >= 0x80 ? -1 : 0
                values.append(.integer(part.reduce(sign) { $0 << 8 | Int64($1) }))
            case 7:
                guard body.take(8) != nil else { return nil }
                values.append(nil)
            case 8, 9: values.append(.integer(type - 8))
            case 12...:
                guard let width = Int(exactly: (type - 12) / 2), let part = body.take(width)
                else { return nil }
                values.append(
                    type % 2 == 0
                        ? .bytes(Array(part)) : .text(String(decoding: part, as: UTF8.self)))
            default: return nil
            }
        }
        return values
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - offset else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}

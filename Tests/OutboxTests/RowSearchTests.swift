import TestVectors
import Testing

@testable import Outbox

@Suite("Looking for rows")
struct RowSearchTests {
    /// A table whose unreadable places stop every scan that comes to them.
    private func search(_ rows: [Int64], broken: Set<Int64>, highest: Int64?) -> [Int64] {
        RowSearch.ids(highest: highest) { start, isDescending, limit in
            let ahead =
                isDescending ? rows.reversed().filter { $0 < start } : rows.filter { $0 > start }
            let readable = ahead.prefix { !broken.contains($0) }
            return (Array(readable.prefix(limit)), readable.count == ahead.count)
        }
    }

    @Test("All rows that can be read are found, however many holes there are", arguments: 0..<60)
    func everyRow(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 0...300, using: &random)
        let first = Int64.random(in: 1...100_000, using: &random)
        let rows = (0..<Int64(count)).map { first + $0 }.filter { _ in !random.oneIn(4) }
        var broken: Set<Int64> = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            guard let from = rows.randomElement(using: &random) else { break }
            broken.formUnion(from..<from + Int64.random(in: 1...20, using: &random))
        }
        let highest = seed % 3 == 0 ? nil : (rows.last ?? 0) + Int64(seed % 5)
        let found = search(rows, broken: broken, highest: highest)
        let expected = rows.filter { !broken.contains($0) }
        #expect(
            found == expected
                || (highest == nil && found.count < rows.count && broken.contains(rows[0])))
    }

    @Test("A table of which nothing can be read takes no time")
    func nothing() {
        var scans = 0
        let found = RowSearch.ids(highest: 1 << 50) { _, _, _ in
            scans += 1
            return ([], false)
        }
        #expect(found.isEmpty)
        #expect(scans < 5000)
    }

    @Test("A damaged place hides nothing that comes behind it")
    func impossible() {
        var isFirst = true
        let found = RowSearch.ids(highest: 9) { start, isDescending, _ in
            defer { isFirst = false }
            if isFirst { return ([1, .max], false) }
            return isDescending ? ([9, 8], false) : ([], false)
        }
        #expect(found == [1, 8, 9, .max])
    }
}

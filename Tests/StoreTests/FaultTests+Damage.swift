import Foundation
import Posix
import Primitives
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

extension FaultTests {
    @Test("a damaged file is set aside, and its readable rows are carried over", arguments: 0..<30)
    func damaged(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let first = store()
        var written: [UInt64: [UInt8]] = [:]
        for round in 0..<20 as Range<UInt64> {
            var batch = StoreBatch()
            for number in round * 10..<round * 10 + 10 {
                let readings = randomFact(&random, readings: 10).readings
                let fact = fact(number, start: Int64(number) * 1000, readings: readings)
                written[number] = fact.stored
                batch.add(fact, site: "store-1", gateway: "entry")
            }
            batch.minutes = [minute(Int64(round) * 60_000, value: Int(round))]
            #expect(first.commit(batch, at: at(0)) == .durable)
        }
        first.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // Behind the first pages, which hold the schema.
        let flips = 1 << (seed % 5)
        for _ in 0..<flips {
            bytes[Int.random(in: 100..<bytes.count, using: &random)] ^= UInt8.random(
                in: 1...255, using: &random)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let store = store()
        check(store)
        // Damage shows when the page is read or written.
        _ = try? numbers(store)
        _ = try? store.minutes(of: "checkout", at: "store-1", in: 0..<UnixTime.max)
        #expect(store.commit(batch(1000..<1001), at: at(60)) != .refused)
        settle(store)
        #expect(store.state == .durable)
        var read: [UInt64: [UInt8]] = [:]
        _ = try store.facts(of: "store-1", in: 0..<UnixTime.max) { read[$1.number] = $1.stored }
        #expect(read[1000] != nil)
        for (number, body) in read where number < 1000 { #expect(written[number] == body) }
        let names = Folder.names(in: folder.file("state"))
        for case .replaced(let aside, _, let rows) in store.takeEvents() {
            #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == bytes)
            #expect(names.contains { aside.hasSuffix($0) && $0.contains(".damaged-") })
            print("seed \(seed), \(flips) flips: \(read.count - 1) of 200 facts, \(rows) rows")
        }
        store.close()
    }

    @Test("only the windows of damaged pages are lost")
    func damagedPage() throws {
        let first = store()
        var random = SeededGenerator(seed: 7)
        for round in 0..<30 as Range<UInt64> {
            var batch = StoreBatch()
            for number in round * 10..<round * 10 + 10 {
                let readings = randomFact(&random, readings: 10).readings
                batch.add(
                    fact(number, start: Int64(number) * 1000, readings: readings),
                    site: "store-1", gateway: "entry")
            }
            #expect(first.commit(batch, at: at(0)) == .durable)
        }
        first.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // A leaf page of a table: type 13, and the number of its cells in bytes 3 and 4 (sqlite.org/fileformat2.html,
        // section 1.6). Small leaves belong to other tables.
        let leaves = stride(from: 4096, to: bytes.count, by: 4096).filter {
            bytes[$0] == 13 && bytes[$0 + 4] > 4
        }
        let page = leaves[leaves.count / 2]
        let gone = Int(bytes[page + 4])
        bytes.replaceSubrange(page..<page + 8, with: repeatElement(0xff, count: 8))
        try bytes.write(to: URL(fileURLWithPath: path))
        let store = store()
        #expect(store.state == .durable)
        // The start reads no rows.
        #expect(store.takeEvents().isEmpty)
        check(store)
        #expect(store.state == .durable)
        let isReplaced = store.takeEvents().contains { event in
            if case .replaced(_, _, let rows) = event { rows == 300 - gone + 2 } else { false }
        }
        #expect(isReplaced)
        let found = try numbers(store)
        #expect(found.count == 300 - gone)
        #expect(found.first == 0)
        #expect(found.last == 299)
        store.close()
    }

    /// Compares all rows with their indexes, and waits until a damaged file is replaced.
    func check(_ store: SQLiteStore) {
        while !store.isChecked { store.checkNext(at: at(1)) }
        settle(store)
    }

    func settle(_ store: SQLiteStore) {
        while !store.retry(at: at(60)), store.isBeingReplaced { usleep(1000) }
    }

    @Test(
        "a row that its index does not have is found again; of the running day before the others",
        arguments: [true, false])
    func damagedKey(isOfDay: Bool) throws {
        let first = store()
        let start: Int64 = 1_700_000_000_000
        var batch = StoreBatch()
        for number in 0..<1000 as Range<UInt64> {
            let fact = fact(number, start: start + Int64(number) * 1000)
            batch.add(fact, site: "store-1", gateway: "entry")
            batch.minutes.append(minute(start + Int64(number) * 60_000, value: 1))
        }
        #expect(first.commit(batch, at: at(0)) == .durable)
        first.close()
        // Of the last window, or of the last minute.
        let time = start + 999 * (isOfDay ? 1000 : 60_000)
        try damageKeys(of: time, in: path)
        let store = store()
        let found = { () throws in
            var windows = 0
            _ = try store.facts(of: "store-1", in: span(time..<time + 1)) { _, _ in windows += 1 }
            let minutes = try store.minutes(
                of: "checkout", at: "store-1", in: span(time..<time + 1))
            return windows + minutes.count
        }
        #expect(try found() == 0)
        while !store.isDayChecked { store.checkNext(at: at(1)) }
        #expect(store.isBeingReplaced == isOfDay)
        settle(store)
        #expect(store.takeEvents().isEmpty != isOfDay)
        check(store)
        #expect(try found() == 1)
        #expect(store.takeEvents().isEmpty == isOfDay)
        #expect(store.state == .durable)
        store.close()
    }

    @Test("a row that its index does not have is found, also beside another row of its time")
    func damagedKeyOfOne() throws {
        let first = store()
        var batch = StoreBatch()
        let start: Int64 = 1_700_000_000_000
        for gateway in ["entry", "till"] {
            batch.add(fact(0, start: start), site: "store-1", gateway: gateway)
        }
        #expect(first.commit(batch, at: at(0)) == .durable)
        first.close()
        try damageKeys(of: start, in: path, atMost: 1)
        let store = store()
        check(store)
        #expect(!store.takeEvents().isEmpty)
        #expect(try numbers(store).count == 2)
        store.close()
    }

    @Test("batches that come while a damaged file is replaced are in the new file")
    func replacement() throws {
        let first = store()
        #expect(first.commit(batch(1_700_000_000..<1_700_005_000), at: at(0)) == .durable)
        first.close()
        try damageKeys(of: 1_700_004_000_000, in: path)
        let store = store()
        while !store.isChecked { store.checkNext(at: at(1)) }
        #expect(store.isBeingReplaced && !store.isOpen)
        #expect(store.state.reason?.contains("its readable rows are being copied") == true)
        #expect(store.commit(batch(1_700_005_000..<1_700_005_001), at: at(1)) != .refused)
        settle(store)
        #expect(store.state == .durable)
        #expect(try numbers(store) == Array(1_700_000_000..<1_700_005_001))
        store.close()
    }
}

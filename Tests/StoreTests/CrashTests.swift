import Foundation
import Posix
import Primitives
import SQLite
import TestSupport
import TestVectors
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("store after a crash")
struct CrashTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func numbers(_ store: SQLiteStore, site: String = "site") throws -> [UInt64] {
        var numbers: [UInt64] = []
        let damaged = try store.facts(of: site, in: 0..<UnixTime.max) { numbers.append($1.number) }
        #expect(damaged == 0)
        return numbers
    }

    @Test("kill -9 during commits: durable commits are there, and the file is intact")
    func killed() throws {
        let program = try #require(BuiltProgram.find("store-writer"))
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        var durable: UInt64 = 0
        for _ in 0..<15 {
            let child = try ChildProcess(program, [path, "commits"])
            let count = Int.random(in: 2...60, using: &random)
            _ = child.waitForLines { $0.count >= count }
            child.send(SIGKILL)
            child.waitForExit()
            let lines = child.lines.filter { $0.hasPrefix("durable ") }
            durable = try #require(lines.last.flatMap { UInt64($0.dropFirst(8)) })
            let store = SQLiteStore(path: path, at: at(0), merge: addNumbers)
            #expect(store.state == .durable)
            #expect(store.takeEvents().isEmpty)
            let found = try numbers(store)
            #expect(found.count > durable)
            #expect(found == Array(0..<UInt64(found.count)))
            store.close()
        }
        print("killed 15 times; \(durable) commits")
    }

    /// A power cut leaves some beginning of the log, since each commit flushes it.
    @Test("a log that ends anywhere gives all commits that were flushed before that place")
    func truncatedLog() throws {
        let store = SQLiteStore(path: path, at: at(0), merge: addNumbers)
        var ends: [Int64] = []
        for number in 0..<30 as Range<UInt64> {
            var batch = StoreBatch()
            batch.add(
                fact(number, start: Int64(number) * 1000), site: "store-1", gateway: "entry")
            batch.minutes = [minute(Int64(number) * 60_000, value: 1)]
            #expect(store.commit(batch, at: at(0)) == .durable)
            ends.append(try #require(File.size(path + "-wal")))
        }
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        store.close()
        var random = SeededGenerator(seed: 5)
        let cuts =
            ends.map(Int.init) + (0..<60).map { _ in Int.random(in: 0...log.count, using: &random) }
        for cut in cuts {
            let place = folder.file("cut.sqlite")
            try file.write(to: URL(fileURLWithPath: place))
            try log.prefix(cut).write(to: URL(fileURLWithPath: place + "-wal"))
            try? FileManager.default.removeItem(atPath: place + "-shm")
            let reopened = SQLiteStore(path: place, at: at(0), merge: addNumbers)
            let expected = ends.count { $0 <= Int64(cut) }
            #expect(try numbers(reopened, site: "store-1").count == expected, "cut at \(cut)")
            let days = try reopened.periods(
                .day, of: "checkout", at: "store-1", in: 0..<UnixTime.max)
            #expect(days.map { text($0.summary) } == (expected == 0 ? [] : ["\(expected)"]))
            reopened.close()
        }
    }
}

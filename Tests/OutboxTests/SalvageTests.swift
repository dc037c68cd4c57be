import Beacons
import Foundation
import Sightings
import TestSupport
import TestVectors
import Testing

@testable import Outbox

@Suite("Saving what a damaged file still has")
struct SalvageTests {
    private struct Key: Hashable {
        let session: String
        let seq: UInt64
    }

    private let folder: TemporaryFolder
    private var path: String { folder.file("outbox.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func outbox(_ session: String) -> Outbox {
        Outbox(
            OutboxLimits(maxBytes: 1 << 22, backlogPerSecond: 1000),
            origin: Origin(session: session, boot: "b", place: "root/site/gateway"),
            disk: DatabaseFile(path: path, maxBytes: 1 << 22))
    }

    /// Puts in so many batches, some of which are handed out before they are stored, and large ones among them.
    private func fill(
        _ outbox: inout Outbox, _ count: Int, _ random: inout SeededGenerator
    ) {
        outbox.open(at: at(0))
        for seq in 0..<count {
            let size = Int.random(in: 0...(random.oneIn(3) ? 220 : 40), using: &random)
            let clock: ClockState = random.oneIn(5) ? .unsynced : .synced
            outbox.append(
                batch(UInt64(seq), sightings: size), stamp: Stamp(offset: 5, clock: clock),
                at: at(Int64(seq)))
            if random.oneIn(12) { _ = outbox.next(at: at(Int64(seq))) }
            if random.oneIn(6) { outbox.tick(at: at(Int64(seq) + 2)) }
        }
    }

    /// What a store has, by session and number, and which of it may have been handed out.
    private func contents(_ depot: Depot) throws -> [Key: (parcel: Parcel, isFrozen: Bool)] {
        var all: [Key: (parcel: Parcel, isFrozen: Bool)] = [:]
        for row in try depot.store.rows(after: 0, limit: .max) {
            let parcel = try Parcel(decoding: try depot.store.body(of: row.id) ?? [])
            all[Key(session: row.session, seq: parcel.batch.seq)] = (
                parcel, row.isFrozen || row.id <= depot.store.claimed
            )
        }
        return all
    }

    private func flip(_ file: String, _ count: Int, _ random: inout SeededGenerator) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        let size = try handle.seekToEnd()
        guard size > 0 else { return }
        for _ in 0..<count {
            // Half of them where a page says what it holds, which the seals can't tell.
            var place = UInt64.random(in: 0..<size, using: &random)
            if random.oneIn(2) { place = min(size - 1, place / 4096 * 4096 + place % 16) }
            try handle.seek(toOffset: place)
            guard let byte = try handle.read(upToCount: 1)?.first else { continue }
            try handle.seek(toOffset: place)
            try handle.write(contentsOf: Data([byte ^ UInt8.random(in: 1...255, using: &random)]))
        }
        try handle.close()
    }

    /// Three sessions' rows; the last one's outbox, its file open.
    private func threeSessions(
        _ random: inout SeededGenerator
    ) throws -> (
        outbox: Outbox, originals: [Key: (parcel: Parcel, isFrozen: Bool)]
    ) {
        for session in ["a", "b"] {
            var outbox = outbox(session)
            fill(&outbox, 65, &random)
            _ = outbox.save(at: at(70))
        }
        var outbox = outbox("c")
        fill(&outbox, 70, &random)
        outbox.tick(at: at(80))
        return (outbox, try contents(try #require(outbox.disk.depot)))
    }

    @Test("Nothing wrong is ever saved, and most of what is left is", arguments: 0..<3)
    func flips(round: Int) throws {
        var saved = 0
        var had = 0
        var damaged = 0
        let runs = 40
        for seed in 0..<runs {
            var random = SeededGenerator(seed: UInt64(round * 1000 + seed))
            let manager = FileManager.default
            for file in try manager.contentsOfDirectory(atPath: folder.path) {
                try manager.removeItem(atPath: folder.file(file))
            }
            let (running, originals) = try threeSessions(&random)
            var outbox = running
            let flips = 1 << (seed % 7)
            if round == 0 {
                // Found at the next start.
                _ = outbox.save(at: at(90))
                try flip(path, flips, &random)
                outbox = self.outbox("d")
            } else if round == 1 {
                // Killed, and found at the next start: the log is there.
                let copy = folder.file("copy.sqlite")
                try manager.copyItem(atPath: path, toPath: copy)
                try manager.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
                outbox.disk.depot?.store.close()
                try manager.removeItem(atPath: path)
                try manager.moveItem(atPath: copy, toPath: path)
                try manager.moveItem(atPath: copy + "-wal", toPath: path + "-wal")
                try flip(path + (seed % 2 == 0 ? "" : "-wal"), flips, &random)
                outbox = self.outbox("d")
            } else {
                // Under the agent's hands.
                try flip(path + (seed % 2 == 0 ? "" : "-wal"), flips, &random)
            }
            outbox.open(at: at(100))
            for seq in 70..<75 as Range<UInt64> {
                outbox.append(batch(seq), at: at(100))
                outbox.tick(at: at(103))
            }
            if outbox.counters.setAside > 0, let depot = outbox.disk.depot {
                for (key, row) in try contents(depot) where key.seq < 70 {
                    let original = try #require(originals[key], "round \(round), seed \(seed)")
                    #expect(row.parcel.encoded == original.parcel.encoded)
                    #expect(row.isFrozen || !original.isFrozen)
                }
            }
            try check(&outbox, originals, "round \(round), seed \(seed)")
            for case .damaged(_, _, let salvage) in outbox.takeNotices() {
                had += salvage.had ?? originals.count
                saved += salvage.saved
                damaged += 1
            }
        }
        let of = ["at a start", "after a kill", "while it ran"][round]
        print("damaged \(of): \(damaged) of \(runs) files set aside, \(saved) of \(had) rows saved")
        // What the agent has in memory it need not read again: by SQLite's version, none may ever be noticed while it runs.
        #expect(damaged > 0 || round == 2)
        #expect(saved > 0 || damaged == 0)
    }

    /// All is delivered as it was; of the session that ran, nothing is missing but what is lost.
    private func check(
        _ outbox: inout Outbox, _ originals: [Key: (parcel: Parcel, isFrozen: Bool)],
        _ what: Comment
    ) throws {
        outbox.connectionLost()
        let sent = outbox.drain(from: 110)
        #expect(outbox.depth == 0, what)
        for entry in sent {
            let key = Key(session: entry.session, seq: entry.batch.seq)
            guard let original = originals[key] else { continue }
            #expect(entry.batch == original.parcel.batch, what)
            if original.isFrozen { #expect(entry.parcel == original.parcel, what) }
        }
        let session = outbox.origin.session
        let first: UInt64 = session == "c" ? 0 : 70
        let own = sent.filter { $0.session == session }
        let losses = own.compactMap(\.lost) + [outbox.undeclared].compactMap(\.self)
        let lost = losses.reduce(0) { $0 + $1.batches }
        let numbers = Set(own.map(\.batch.seq).filter { $0 >= first })
        #expect(UInt64(numbers.count) + lost == 75, what)
    }

    @Test("A file that is set aside leaves the one before, and no other")
    func places() throws {
        for index in 0..<4 {
            try folder.write("damaged \(index)", to: "outbox.sqlite")
            try folder.write("log \(index)", to: "outbox.sqlite-wal")
            #expect(DatabaseFile(path: path, maxBytes: 1 << 20).setAside() == path + ".damaged")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let names = ["damaged", "damaged-before", "damaged-before-wal", "damaged-wal"]
        #expect(files == names.map { "outbox.sqlite.\($0)" })
        let before = try String(contentsOfFile: path + ".damaged-before", encoding: .utf8)
        #expect(before == "damaged 2")
    }

    @Test("What is looked at stays as it is")
    func untouched() throws {
        var random = SeededGenerator(seed: 1)
        let (outbox, _) = try threeSessions(&random)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: path + suffix, toPath: folder.file("wreck" + suffix))
        }
        outbox.disk.depot?.store.close()
        let before = try ["", "-wal"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.file("wreck" + $0)))
        }
        let wreck = try #require(DatabaseWreck(path: folder.file("wreck")))
        var whole = 0
        wreck.each { if $0.row != nil, $0.parcel != nil { whole += 1 } }
        #expect(whole == wreck.count)
        wreck.close()
        let after = try ["", "-wal"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.file("wreck" + $0)))
        }
        #expect(before == after)
    }
}

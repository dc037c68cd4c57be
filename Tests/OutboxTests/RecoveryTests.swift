import Beacons
import Foundation
import Sightings
import TestSupport
import TestVectors
import Testing

@testable import Outbox

@Suite("recovery of corrupt files")
struct RecoveryTests {
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

    /// Adds batches of many sizes, and hands some out before they are stored.
    private func fill(
        _ outbox: inout Outbox, _ count: Int, _ random: inout SeededGenerator
    ) {
        outbox.open(at: at(0))
        for seq in 0..<count {
            let size = Int.random(in: 0...(random.oneIn(3) ? 220 : 40), using: &random)
            let clock: ClockState = random.oneIn(5) ? .unsynced : .synced
            outbox.append(
                batch(UInt64(seq), sightings: size),
                stamp: Stamp(offset: .microseconds(5), clock: clock),
                at: at(Int64(seq)))
            if random.oneIn(12) { _ = outbox.next(at: at(Int64(seq))) }
            if random.oneIn(6) { outbox.tick(at: at(Int64(seq) + 2)) }
        }
    }

    /// The batches of a store, and whether they may have been handed out.
    private func contents(_ store: BoundedStore) throws -> [Key: (
        stored: StoredBatch, isFinal: Bool
    )] {
        var all: [Key: (stored: StoredBatch, isFinal: Bool)] = [:]
        for row in try store.store.headers(after: 0, limit: .max) {
            let stored = try StoredBatch(decoding: try store.store.body(of: row.id) ?? [])
            all[Key(session: row.session, seq: stored.batch.seq)] = (
                stored, row.isFinal || row.id <= store.store.claimed
            )
        }
        return all
    }

    private func flip(_ file: String, _ count: Int, _ random: inout SeededGenerator) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        let size = try handle.seekToEnd()
        guard size > 0 else { return }
        for _ in 0..<count {
            // Half of them hit page headers, which no checksum of a row covers.
            var place = UInt64.random(in: 0..<size, using: &random)
            if random.oneIn(2) { place = min(size - 1, place / 4096 * 4096 + place % 16) }
            try handle.seek(toOffset: place)
            guard let byte = try handle.read(upToCount: 1)?.first else { continue }
            try handle.seek(toOffset: place)
            try handle.write(contentsOf: Data([byte ^ UInt8.random(in: 1...255, using: &random)]))
        }
        try handle.close()
    }

    /// Stores batches of three sessions. Returns the last session's outbox with its open file.
    private func threeSessions(
        _ random: inout SeededGenerator
    ) throws -> (
        outbox: Outbox, originals: [Key: (stored: StoredBatch, isFinal: Bool)]
    ) {
        for session in ["a", "b"] {
            var outbox = outbox(session)
            fill(&outbox, 65, &random)
            _ = outbox.save(at: at(70))
        }
        var outbox = outbox("c")
        fill(&outbox, 70, &random)
        outbox.tick(at: at(80))
        return (outbox, try contents(try #require(outbox.persistence.store)))
    }

    @Test("recovery never delivers wrong bytes", arguments: 0..<3)
    func flips(round: Int) throws {
        var recovered = 0
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
                // The next start finds the damage.
                _ = outbox.save(at: at(90))
                try flip(path, flips, &random)
                outbox = self.outbox("d")
            } else if round == 1 {
                // The agent is killed; the next start finds the damage, with a log beside the file.
                let copy = folder.file("copy.sqlite")
                try manager.copyItem(atPath: path, toPath: copy)
                try manager.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
                outbox.persistence.store?.store.close()
                try manager.removeItem(atPath: path)
                try manager.moveItem(atPath: copy, toPath: path)
                try manager.moveItem(atPath: copy + "-wal", toPath: path + "-wal")
                try flip(path + (seed % 2 == 0 ? "" : "-wal"), flips, &random)
                outbox = self.outbox("d")
            } else {
                // The damage happens while the agent runs.
                try flip(path + (seed % 2 == 0 ? "" : "-wal"), flips, &random)
            }
            outbox.open(at: at(100))
            for seq in 70..<75 as Range<UInt64> {
                outbox.append(batch(seq), at: at(100))
                outbox.tick(at: at(103))
            }
            if outbox.counters.setAside > 0, let store = outbox.persistence.store {
                for (key, row) in try contents(store) where key.seq < 70 {
                    let original = try #require(originals[key], "round \(round), seed \(seed)")
                    #expect(row.stored.encoded == original.stored.encoded)
                    #expect(row.isFinal || !original.isFinal)
                }
            }
            try check(&outbox, originals, "round \(round), seed \(seed)")
            for case .storeCorrupt(_, _, let result) in outbox.takeEvents() {
                had += result.batches ?? originals.count
                recovered += result.recovered
                damaged += 1
            }
        }
        let of = ["at a start", "after a kill", "while it ran"][round]
        print(
            "corrupt \(of): \(damaged) of \(runs) files set aside, "
                + "\(recovered) of \(had) rows recovered")
        // Some versions of SQLite read a running agent's pages from memory only, and never find the damage.
        #expect(damaged > 0 || round == 2)
        #expect(recovered > 0 || damaged == 0)
    }

    /// Every delivered batch is unchanged. All numbers of the running session are delivered or lost.
    private func check(
        _ outbox: inout Outbox, _ originals: [Key: (stored: StoredBatch, isFinal: Bool)],
        _ what: Comment
    ) throws {
        outbox.connectionLost()
        let sent = outbox.drain(from: 110)
        #expect(outbox.depth == 0, what)
        for entry in sent {
            let key = Key(session: entry.session, seq: entry.batch.seq)
            guard let original = originals[key] else { continue }
            #expect(entry.batch == original.stored.batch, what)
            if original.isFinal { #expect(entry.stored == original.stored, what) }
        }
        let session = outbox.origin.session
        let first: UInt64 = session == "c" ? 0 : 70
        let own = sent.filter { $0.session == session }
        let losses = own.compactMap(\.lost) + [outbox.undeclared].compactMap(\.self)
        let lost = losses.reduce(0) { $0 + $1.batches }
        let numbers = Set(own.map(\.batch.seq).filter { $0 >= first })
        #expect(UInt64(numbers.count) + lost == 75, what)
    }

    @Test("only the rows of damaged pages are lost", arguments: [1, 2, 5])
    func damagedPages(count: Int) throws {
        var old = outbox("old")
        for seq in 0..<300 as Range<UInt64> { old.append(batch(seq, sightings: 3), at: at(0)) }
        #expect(old.save(at: at(300)) == 300)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // A leaf page of a table: type 13, and the number of its cells in bytes 3 and 4 (sqlite.org/fileformat2.html,
        // section 1.6). Small leaves belong to other tables.
        let leaves = stride(from: 4096, to: bytes.count, by: 4096).filter {
            bytes[$0] == 13 && bytes[$0 + 4] > 4
        }
        #expect(leaves.count > 10)
        var gone = 0
        for index in 1...count {
            let page = leaves[leaves.count * index / (count + 1)]
            gone += Int(bytes[page + 3]) << 8 | Int(bytes[page + 4])
            bytes.replaceSubrange(page..<page + 8, with: repeatElement(0xff, count: 8))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        var outbox = outbox("new")
        outbox.open(at: at(301))
        #expect(outbox.counters.setAside == 1)
        let numbers = outbox.drain(from: 302).map(\.batch.seq)
        #expect(numbers == numbers.sorted())
        #expect(numbers.first == 0)
        #expect(numbers.last == 299)
        #expect(numbers.count == 300 - gone)
    }

    @Test("setting a file aside keeps the previous one, and no other")
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

    @Test("a scan changes no byte of the file")
    func untouched() throws {
        var random = SeededGenerator(seed: 1)
        let (outbox, _) = try threeSessions(&random)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: path + suffix, toPath: folder.file("corrupt" + suffix))
        }
        outbox.persistence.store?.store.close()
        let before = try ["", "-wal"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.file("corrupt" + $0)))
        }
        var whole = 0
        let file = DatabaseFile(path: path, maxBytes: 1 << 22)
        let scan = try #require(
            file.scan(folder.file("corrupt"), claimed: nil) { row in
                if row.header != nil, row.stored != nil { whole += 1 }
            })
        #expect(whole == scan.count)
        let after = try ["", "-wal"].map {
            try Data(contentsOf: URL(fileURLWithPath: folder.file("corrupt" + $0)))
        }
        #expect(before == after)
    }
}

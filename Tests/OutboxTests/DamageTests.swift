import Beacons
import Foundation
import Primitives
import SQLite
import Sightings
import TestSupport
import Testing

@testable import Outbox

@Suite("damaged rows")
struct DamageTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("outbox.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func outbox(_ session: String) -> Outbox {
        Outbox(
            OutboxLimits(maxBytes: 1 << 20, backlogPerSecond: 1000),
            origin: Origin(session: session, boot: "b"),
            disk: DatabaseFile(path: path, maxBytes: 1 << 20))
    }

    /// Leaves a file with `count` batches. Number 0 is missing, and batch 1 was handed out.
    private func leave(_ count: Int) {
        var outbox = outbox("old")
        for seq in 1...UInt64(count) {
            outbox.append(batch(seq, sightings: 3), at: at(0))
            if seq == 1 { #expect(outbox.handOut() == [1]) }
        }
        #expect(outbox.save(at: at(0)) == count)
    }

    /// Changes the file behind the outbox.
    private func harm(_ statement: String) throws {
        let database = try SQLiteDatabase(path: path)
        try database.run(statement)
        database.close()
    }

    /// Starts a new session and delivers all batches.
    private func deliver() -> (sent: [Entry], events: [OutboxEvent]) {
        var outbox = outbox("new")
        outbox.open(at: at(1))
        let sent = outbox.drain(from: 1)
        outbox.tick(at: at(100_000))
        #expect(outbox.depth == 0)
        #expect(!FileManager.default.fileExists(atPath: path), "the empty file must be removed")
        return (sent, outbox.takeEvents())
    }

    /// Stores `count` batches, one commit each, and returns the bytes of the file and its log at a kill.
    private func killed(_ count: Int) throws -> (file: Data, log: Data) {
        var outbox = outbox("old")
        for seq in 0..<Int64(count) {
            outbox.append(batch(UInt64(seq), sightings: 3), at: at(seq * 3))
            outbox.tick(at: at(seq * 3 + 2))
        }
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        outbox.persistence.store?.store.close()
        return (file, log)
    }

    @Test("commits behind a damaged frame of the log are noticed after a kill")
    func damagedLog() throws {
        var (file, log) = try killed(20)
        #expect(!WriteAheadLog.hidesCommits([UInt8](log)))
        let frame = 24 + 4096
        // The middle of a page of an early commit.
        log[32 + (log.count - 32) / frame / 3 * frame + 2000] ^= 1
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        let (sent, events) = deliver()
        #expect(Set(sent.map(\.batch.seq)).isSubset(of: 0..<20))
        #expect(sent.count < 20)
        let isReported = events.contains { event in
            if case .storeCorrupt(_, _, let result) = event { result.batches == nil } else { false }
        }
        #expect(isReported, "\(events)")
    }

    @Test("a log that ends within a write is not damaged")
    func tornLog() throws {
        let (_, log) = try killed(5)
        let bytes = [UInt8](log)
        for count in stride(from: 0, to: bytes.count, by: 999) {
            #expect(!WriteAheadLog.hidesCommits(Array(bytes[..<count])))
        }
        var torn = bytes
        torn[bytes.count - 2000] ^= 1
        #expect(!WriteAheadLog.hidesCommits(torn))
    }

    @Test("rows out of order are delivered, and the file is removed")
    func outOfOrder() throws {
        leave(40)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The first leaf page with rows: cell offsets begin at byte 8 (sqlite.org/fileformat2.html, section 1.6).
        let pages = stride(from: 4096, to: bytes.count, by: 4096)
        let leaf = try #require(pages.first { bytes[$0] == 0x0d && bytes[$0 + 4] > 8 })
        for index in 8..<12 { bytes.swapAt(leaf + index, leaf + 4 + index) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let (sent, events) = deliver()
        #expect(sent.map(\.batch.seq).sorted() == Array(1...40))
        #expect(events.contains { if case .storeCorrupt = $0 { true } else { false } })
    }

    @Test("a loss in a damaged row is declared by the next message, with the row's own number")
    func bearer() throws {
        leave(3)
        try harm("UPDATE parcels SET body=x'00' WHERE id=1")
        let (sent, _) = deliver()
        #expect(sent.map(\.batch.seq) == [2, 3])
        #expect(sent.first?.lost == Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .damaged))
    }

    @Test("a damaged header loses nothing, because the body has the same facts")
    func head() throws {
        leave(3)
        try harm("UPDATE parcels SET head=x'00'")
        let (sent, events) = deliver()
        #expect(sent.map(\.batch.seq) == [1, 2, 3])
        #expect(sent.first?.lost == Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .mailboxFull))
        #expect(events == [.foundBacklog(batches: 3)])
    }

    @Test("the event counts batches whose header and body are damaged")
    func both() throws {
        leave(3)
        try harm("UPDATE parcels SET head=x'00',body=x'00' WHERE id=2")
        let (sent, events) = deliver()
        #expect(sent.map(\.batch.seq) == [1, 3])
        let results = events.compactMap { event -> RecoveryResult? in
            if case .storeCorrupt(_, _, let result) = event { result } else { nil }
        }
        #expect(results == [RecoveryResult(batches: 3, recovered: 2)])
    }

    @Test("the event shows that a stored loss is unreadable")
    func unreadableLoss() throws {
        leave(3)
        try harm("INSERT INTO losses VALUES(x'00')")
        let (sent, events) = deliver()
        #expect(sent.map(\.batch.seq) == [1, 2, 3])
        let results = events.compactMap { event -> RecoveryResult? in
            if case .storeCorrupt(_, _, let result) = event { result } else { nil }
        }
        #expect(results == [RecoveryResult(batches: 3, recovered: 3, knowsLosses: false)])
    }

    @Test("the header's checksum detects every changed byte")
    func everyByte() {
        var stored = StoredBatch(origin: Origin(session: "s"), batch: batch(7), stamp: stamp)
        stored.lost = Loss(batches: 2, fromSeq: 3, toSeq: 6, reason: .refused)
        var row = BatchHeader(of: stored, isFinal: true)
        row.id = 9
        let bytes = row.encoded
        #expect((try? BatchHeader(decoding: bytes)) == row)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << (index % 8)
            #expect(throws: DecodeError.self) { try BatchHeader(decoding: flipped) }
            #expect(throws: DecodeError.self) { try BatchHeader(decoding: Array(bytes[..<index])) }
        }
    }
}

import Beacons
import Foundation
import Sightings
import TestSupport
import Testing

@testable import Outbox

@Suite("Damage to single rows")
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

    /// Leaves a file with so many batches of a session, its first number missing, and the first batch handed out.
    private func leave(_ count: Int) {
        var outbox = outbox("old")
        for seq in 1...UInt64(count) {
            outbox.append(batch(seq, sightings: 3), at: at(0))
            if seq == 1 { #expect(outbox.handOut() == [1]) }
        }
        #expect(outbox.save(at: at(0)) == count)
    }

    /// Does something to the file that its owner would not do.
    private func harm(_ statement: String) throws {
        let database = try Database(path: path)
        try database.run(statement)
        database.close()
    }

    /// Lets a new session deliver what was left, to the end.
    private func deliver() -> (sent: [Entry], notices: [OutboxNotice]) {
        var outbox = outbox("new")
        outbox.open(at: at(1))
        let sent = outbox.drain(from: 1)
        outbox.tick(at: at(100_000))
        #expect(outbox.depth == 0)
        #expect(!FileManager.default.fileExists(atPath: path), "the file must go when it is empty")
        return (sent, outbox.takeNotices())
    }

    @Test("Rows that no longer stand in their order are delivered, and don't stay for ever")
    func outOfOrder() throws {
        leave(40)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The first leaf with rows on it: places of cells begin at byte 8 (sqlite.org/fileformat2.html, section 1.6).
        let pages = stride(from: 4096, to: bytes.count, by: 4096)
        let leaf = try #require(pages.first { bytes[$0] == 0x0d && bytes[$0 + 4] > 8 })
        for index in 8..<12 { bytes.swapAt(leaf + index, leaf + 4 + index) }
        try bytes.write(to: URL(fileURLWithPath: path))
        let (sent, notices) = deliver()
        #expect(sent.map(\.batch.seq).sorted() == Array(1...40))
        #expect(notices.contains { if case .damaged = $0 { true } else { false } })
    }

    @Test("A loss whose bearer's body is damaged is declared by the next, with the bearer")
    func bearer() throws {
        leave(3)
        try harm("UPDATE parcels SET body=x'00' WHERE id=1")
        let (sent, _) = deliver()
        #expect(sent.map(\.batch.seq) == [2, 3])
        #expect(sent.first?.lost == Loss(batches: 2, fromSeq: 0, toSeq: 1, reason: .damaged))
    }

    @Test("A damaged head costs nothing: the body says the same")
    func head() throws {
        leave(3)
        try harm("UPDATE parcels SET head=x'00'")
        let (sent, notices) = deliver()
        #expect(sent.map(\.batch.seq) == [1, 2, 3])
        #expect(sent.first?.lost == Loss(batches: 1, fromSeq: 0, toSeq: 0, reason: .mailboxFull))
        #expect(notices == [.found(batches: 3)])
    }

    @Test("Of what neither head nor body tells, the number of batches is told")
    func both() throws {
        leave(3)
        try harm("UPDATE parcels SET head=x'00',body=x'00' WHERE id=2")
        let (sent, notices) = deliver()
        #expect(sent.map(\.batch.seq) == [1, 3])
        let salvages = notices.compactMap { notice -> Salvage? in
            if case .damaged(_, _, let salvage) = notice { salvage } else { nil }
        }
        #expect(salvages == [Salvage(had: 3, saved: 2)])
    }

    @Test("A loss that was written down and can't be read is told as that")
    func unreadableLoss() throws {
        leave(3)
        try harm("INSERT INTO losses VALUES(x'00')")
        let (sent, notices) = deliver()
        #expect(sent.map(\.batch.seq) == [1, 2, 3])
        let salvages = notices.compactMap { notice -> Salvage? in
            if case .damaged(_, _, let salvage) = notice { salvage } else { nil }
        }
        #expect(salvages == [Salvage(had: 3, saved: 3, knowsLosses: false)])
    }

    @Test("What was committed before a kill is found behind a damaged frame of the log")
    func log() throws {
        var outbox = outbox("old")
        for seq in 0..<20 as Range<UInt64> {
            outbox.append(batch(seq, sightings: 3), at: at(Int64(seq) * 3))
            outbox.tick(at: at(Int64(seq) * 3 + 2))
        }
        var log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(WriteAheadLog([UInt8](log))?.mended == nil)
        outbox.disk.depot?.store.close()
        let frame = 24 + 4096
        let frames = (log.count - 32) / frame
        // In the middle of a page that a commit of the first half has written.
        log[32 + frames / 3 * frame + 2000] ^= 1
        try file.write(to: URL(fileURLWithPath: path))
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        let (sent, notices) = deliver()
        #expect(sent.map(\.batch.seq) == Array(0..<20))
        #expect(
            notices.contains { if case .damaged(_, _, let s) = $0 { s.had == nil } else { false } })
    }

    @Test("A log that a write was cut short in is read as far as it goes, and is no damage")
    func cutShort() throws {
        var outbox = outbox("old")
        for seq in 0..<5 as Range<UInt64> {
            outbox.append(batch(seq, sightings: 3), at: at(Int64(seq) * 3))
            outbox.tick(at: at(Int64(seq) * 3 + 2))
        }
        let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        for count in stride(from: 0, to: log.count, by: 999) {
            #expect(WriteAheadLog(Array(log[..<count]))?.mended == nil)
        }
        var torn = log
        torn[log.count - 5000] ^= 1
        torn[log.count - 3000] ^= 1
        #expect(WriteAheadLog(torn)?.mended == nil)
    }

    @Test("Every damaged byte of a head is noticed")
    func everyByte() {
        var parcel = Parcel(origin: Origin(session: "s"), batch: batch(7), stamp: stamp)
        parcel.lost = Loss(batches: 2, fromSeq: 3, toSeq: 6, reason: .refused)
        var row = Row(of: parcel, isFrozen: true)
        row.id = 9
        let bytes = row.encoded
        #expect((try? Row(decoding: bytes)) == row)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << (index % 8)
            #expect(throws: Damage.self) { try Row(decoding: flipped) }
            #expect(throws: Damage.self) { try Row(decoding: Array(bytes[..<index])) }
        }
    }
}

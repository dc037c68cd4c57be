import Beacons
import Foundation
import Sightings
import TestSupport
import TestVectors
import Testing

@testable import Outbox

@Suite("outbox file")
struct DatabaseTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("outbox.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func outbox(_ session: String, path: String? = nil) -> Outbox {
        Outbox(
            OutboxLimits(maxBytes: 1 << 20, backlogPerSecond: 1000),
            origin: Origin(session: session, boot: "b"),
            disk: DatabaseFile(path: path ?? self.path, maxBytes: 1 << 20))
    }

    /// Leaves a file with `count` batches.
    private func leave(_ count: Int) {
        var outbox = outbox("old")
        for seq in 0..<count {
            outbox.append(batch(UInt64(seq), sightings: 20), at: at(Int64(seq)))
        }
        #expect(outbox.save(at: at(Int64(count))) == count)
    }

    @Test("a start creates no file, and the next outage creates folder and file")
    func lazily() {
        let path = folder.file("a/b/outbox.sqlite")
        var outbox = outbox("new", path: path)
        outbox.open(at: at(0))
        outbox.tick(at: at(0))
        #expect(!FileManager.default.fileExists(atPath: folder.file("a")))
        outbox.append(batch(0), at: at(0))
        outbox.tick(at: at(2))
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(outbox.drain(from: 3).count == 1)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a changed limit applies to the open file")
    func otherBound() throws {
        var outbox = outbox("old")
        outbox.append(batch(0, sightings: 20), at: at(0))
        outbox.tick(at: at(2))
        outbox.limits.maxBytes = 64 << 20
        for seq in 1..<UInt64(64) {
            outbox.append(batch(seq, sightings: 20_000), at: at(2))
            outbox.tick(at: at(4))
        }
        outbox.tick(at: at(6))
        #expect(outbox.isDurable)
        #expect(outbox.counters.dropped == 0)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        // More than the file's earlier limit.
        #expect(size > ((1 << 20) + (32 << 20)) / 8 * 9)
    }

    @Test("a file in use by another agent stays unchanged")
    func locked() {
        var first = outbox("first")
        first.append(batch(0), at: at(0))
        first.tick(at: at(2))
        var second = outbox("second")
        second.open(at: at(2))
        #expect(!second.isDurable)
        second.append(batch(0), at: at(2))
        second.tick(at: at(4))
        #expect(second.drain(from: 5).map(\.session) == ["second"])
        #expect(first.drain(from: 5).map(\.session) == ["first"])
    }

    @Test("without a folder, batches stay in memory")
    func unusable() throws {
        try folder.write("no folder", to: "file")
        var outbox = outbox("new", path: folder.file("file/outbox.sqlite"))
        outbox.open(at: at(0))
        outbox.append(batch(0), at: at(0))
        outbox.tick(at: at(2))
        #expect(!outbox.isDurable)
        #expect(outbox.drain(from: 3).count == 1)
    }

    @Test(
        "a file that is not an outbox is set aside",
        arguments: ["", "no database", String(repeating: "x", count: 10_000)])
    func foreign(contents: String) throws {
        try folder.write(contents, to: "outbox.sqlite")
        var outbox = outbox("new")
        outbox.open(at: at(0))
        outbox.append(batch(0), at: at(0))
        outbox.tick(at: at(2))
        #expect(outbox.isDurable)
        #expect(outbox.stored == 1)
        let isAside = FileManager.default.fileExists(atPath: path + ".damaged")
        // An empty file is an empty database.
        #expect(isAside == !contents.isEmpty)
    }

    @Test(
        "a truncated file gives its readable batches or is set aside, and the outbox continues",
        arguments: 0..<12)
    func truncated(seed: Int) throws {
        leave(40)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.prefix(bytes.count * seed / 12).write(to: URL(fileURLWithPath: path))
        check(seed)
    }

    @Test("flipped bytes are never delivered, and never stop the outbox", arguments: 0..<40)
    func flipped(seed: Int) throws {
        leave(40)
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<(1 << (seed % 7)) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] ^= UInt8.random(in: 1...255, using: &random)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        check(seed)
    }

    /// Every delivered batch is equal to the appended one, and all new batches are delivered.
    private func check(_ seed: Int) {
        var outbox = outbox("new")
        outbox.open(at: at(40))
        for seq in 0..<5 {
            outbox.append(batch(UInt64(seq), sightings: 20), at: at(40 + Int64(seq)))
            outbox.tick(at: at(40 + Int64(seq)))
        }
        let sent = outbox.drain(from: 50)
        #expect(outbox.depth == 0)
        var seen = Set<[String]>()
        for entry in sent {
            let original = batch(entry.batch.seq, sightings: 20)
            #expect(entry.batch.sightings == original.sightings, "seed \(seed)")
            #expect(entry.session == "old" || entry.session == "new")
            seen.insert([entry.session, "\(entry.batch.seq)"])
        }
        let new = sent.filter { $0.session == "new" }
        let losses = new.compactMap(\.lost) + [outbox.undeclared].compactMap(\.self)
        let lost = losses.reduce(0) { $0 + $1.batches }
        #expect(Set(new.map(\.batch.seq)).count + Int(lost) == 5, "seed \(seed)")
    }

    @Test("a scan keeps its lock on the file while it reads the rows")
    func lockOfScan() throws {
        leave(3)
        // To close this descriptor would end the lock, which belongs to the process (fcntl(2)).
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        var rows = 0
        let scan = DatabaseStore.scan(path, claimed: nil) { _ in
            rows += 1
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            // The number of F_OFD_GETLK in Linux: it shows also the locks of this process.
            #expect(fcntl(file.fileDescriptor, 36, &lock) == 0)
            #expect(lock.l_type != Int16(F_UNLCK))
        }
        try file.close()
        #expect(scan?.count == rows)
        #expect(rows == 3)
    }
}

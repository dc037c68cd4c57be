import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("privacy of the outbox file")
struct PrivacyTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("outbox.sqlite") }
    private let header = BatchHeader(
        of: StoredBatch(
            origin: Origin(session: "s", boot: "b"), batch: batch(0), stamp: stamp), isFinal: true)

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> any BatchStore {
        try #require(try DatabaseFile(path: path, maxBytes: 1 << 20).open(creating: true))
    }

    @Test("only the owner may read the file and its log", arguments: [false, true])
    func permissions(hasEarlierFile: Bool) throws {
        let others: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
        if hasEarlierFile {
            // Of a version that did not restrict them.
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: others)
            _ = FileManager.default.createFile(
                atPath: path + "-wal", contents: nil, attributes: others)
        }
        let store = try open()
        try store.begin()
        _ = try store.append(header, [1])
        try store.commit()
        for name in [path, path + "-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        store.close()
    }

    @Test("the bytes of removed batches are overwritten")
    func overwritten() throws {
        let store = try open()
        try store.begin()
        let ids = try (0..<50).map { index in
            let mark = "batch-\(index)."
            return try store.append(
                header, Array(String(repeating: mark, count: 3000 / mark.count).utf8))
        }
        try store.commit()
        try store.begin()
        try store.remove(Array(ids.dropLast()))
        try store.commit()
        store.close()
        let text = String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        #expect(text.contains("batch-49."))
        #expect(!(0..<49).contains { text.contains("batch-\($0).") })
    }
}

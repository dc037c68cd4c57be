import Primitives
import TestSupport
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("the lookup of single windows")
struct LookupTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "a window is found, and those of a gateway are counted, also while the disk fails",
        arguments: TestEngine.available)
    func lookups(engine: TestEngine) throws {
        let window = { (number: UInt64, session: String) in
            fact(number, start: 5000, session: session)
        }
        let find = { (store: any ResultStore) in
            let isThere = try [
                store.has(window(1, "a"), of: "e", at: "s"),
                store.has(window(.max, "b"), of: "e", at: "s"),
                store.has(window(2, "a"), of: "e", at: "s"),
                store.has(window(1, "b"), of: "e", at: "s"),
                store.has(window(1, "a"), of: "t", at: "s"),
                store.has(window(1, "a"), of: "e", at: "other"),
                store.has(fact(1, start: 5001, session: "a"), of: "e", at: "s"),
            ]
            #expect(isThere == [true, true] + Array(repeating: false, count: 5))
            let count = { (span: Range<UnixTime>, limit: Int) in
                try store.count(of: "e", at: "s", in: span, limit: limit)
            }
            #expect(try count(span(5000..<5001), 9) == 2)
            #expect(try count(span(0..<5000), 9) == 0)
            #expect(try store.count(of: "e", at: "other", in: span(0..<9000), limit: 9) == 0)
        }
        var batch = StoreBatch()
        batch.add(window(1, "a"), site: "s", gateway: "e")
        batch.add(window(.max, "b"), site: "s", gateway: "e")
        batch.add(window(2, "a"), site: "s", gateway: "t")
        let store = try TestPlace(engine).open()
        defer { store.close() }
        #expect(store.commit(batch, at: at(0)) == .durable)
        try find(store)
        #expect(try store.count(of: "e", at: "s", in: span(0..<9000), limit: 1) == 1)
        guard engine == .sqlite else { return }
        // A folder has the place of the file.
        let failing = SQLiteStore(
            path: folder.file(""), journal: folder.file("other/journal.sqlite"), at: at(0),
            merge: addNumbers)
        defer { failing.close() }
        #expect(failing.commit(batch, at: at(0)) == .kept)
        try find(failing)
    }
}

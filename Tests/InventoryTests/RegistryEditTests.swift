import Primitives
import Testing

@testable import Inventory

@Suite("change of a registry")
struct RegistryEditTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    private func edited(
        _ text: String, line: Int, _ values: [(String, String)]
    ) throws -> (text: String, changes: [RegistryEdit.Change]) {
        let edit = try RegistryEdit(Array(text.utf8), line: line, values)
        return (String(decoding: edit.bytes, as: UTF8.self), edit.changes)
    }

    @Test("only the cells of one row change: line ends, quotes, blank lines and other columns stay")
    func oneRow() throws {
        let start = "UUID,major,minor,kind,name,shelf,since\r\n"
        let other = "\(Self.uuid),1,1,fixed,\"a, b\",\"x\"\"y\",\r\n\r\n"
        let end = "\(Self.uuid),1,3,fixed,\"c\",,"
        let (text, changes) = try edited(
            start + other + "\(Self.uuid),1,2,fixed,\"two\nlines\",\"\"\"q\"\"\",2026-01-01\r\n"
                + end, line: 4, [("since", "2026-11-28"), ("name", "n;m")])
        #expect(
            text == start + other
                + "\(Self.uuid),1,2,fixed,\"n;m\",\"\"\"q\"\"\",2026-11-28\r\n" + end)
        #expect(
            changes == [
                .init(column: "since", old: "2026-01-01", new: "2026-11-28"),
                .init(column: "name", old: "two\nlines", new: "n;m"),
            ])
    }

    @Test("a column that the file lacks becomes the last one of all rows")
    func newColumn() throws {
        let row = "\(Self.uuid);1;1;fixed"
        let (text, _) = try edited(
            "uuid;major;minor;kind\n\(row)\n\(Self.uuid);1;2;fixed", line: 2,
            [("until", "2026-11-27"), ("zone", "")])
        #expect(
            text == "uuid;major;minor;kind;until\n\(row);2026-11-27\n\(Self.uuid);1;2;fixed;")
    }

    @Test("without a difference, the file is the same")
    func same() throws {
        let file = "uuid,major,minor,kind,since\n\(Self.uuid),1,1,\"fixed\", 2026-11-28 \n"
        let (text, changes) = try edited(file, line: 2, [("since", "2026-11-28"), ("zone", "")])
        #expect(text == file && changes.isEmpty)
    }

    @Test(
        "a change to a fault is refused",
        arguments: [
            ("until", "2026-11-01", "until is before since"),
            ("since", "tomorrow", "since must be a date such as 2026-11-28, not “tomorrow”"),
            ("minor", "2", "\(uuid)/1/2 is there already, in line 2"),
            ("x", "3", "x and y come together"),
        ])
    func faults(column: String, value: String, sentence: String) {
        let file =
            "uuid,major,minor,kind,since\n\(Self.uuid),1,2,fixed,\n"
            + "\(Self.uuid),1,1,fixed,2026-11-20\n"
        #expect(throws: Registry.Fault(line: 3, sentence: sentence)) {
            _ = try RegistryEdit(Array(file.utf8), line: 3, [(column, value)])
        }
    }

    @Test("a beacon is found by label, name, or numbers; of its rows, the last one that has begun")
    func row() throws {
        let registry = Registry(
            parsing: Array(
                """
                uuid,major,minor,kind,name,since,until
                \(Self.uuid),1,1,fixed,shelf,,2026-10-01
                \(Self.uuid),1,1,fixed,shelf,2026-10-02,2026-12-01
                \(Self.uuid),1,1,fixed,shelf,2026-12-02,
                \(Self.uuid),1,2,fixed,till,,
                \(Self.uuid),1,3,fixed,till,,
                """.utf8))
        #expect(registry.faults.isEmpty)
        for word in ["shelf", "1/1", "\(Self.uuid)/1/1", "\(Self.uuid.uppercased())/1/1"] {
            #expect(try registry.row(of: word, on: "2026-11-28").line == 3)
        }
        let labels = ["\(Self.uuid)/1/2", "\(Self.uuid)/1/3"]
        #expect(throws: Registry.Unnamed.several(labels)) {
            _ = try registry.row(of: "till", on: "2026-11-28")
        }
        #expect(
            throws: Registry.Unnamed.unknown(among: ["shelf", "shelf", "shelf", "till", "till"])
        ) { _ = try registry.row(of: "shelv", on: "2026-11-28") }
    }
}

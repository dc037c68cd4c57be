import Configuration
import Foundation
import JSON
import Testing

/// The files in `Tests/Contract/configurations`. `faults.json` has the expected faults of those that are invalid.
///
/// `check-configurations` compares the schema with the same files.
@Suite("Faults of configurations") struct ConfigurationFaultsTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../Contract/configurations")

    /// `pointer code` of each fault, in order, by the file's path.
    private static let expected: [String: [String]] = {
        let data = try? Data(contentsOf: folder.appendingPathComponent("faults.json"))
        return data.flatMap { try? JSONDecoder().decode([String: [String]].self, from: $0) } ?? [:]
    }()

    private static func files(in name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent(name).path
        ).sorted().map { "\(name)/\($0)" }
    }

    private static func faults(of file: String) throws -> [Fault] {
        let text = try Data(contentsOf: folder.appendingPathComponent(file))
        do throws(Faults) {
            _ = try LocalConfiguration(parsing: Array(text), requiresBroker: true)
            return []
        } catch {
            return error.list
        }
    }

    @Test("an invalid configuration is refused with the place and kind of each fault")
    func invalid() throws {
        let files = try Self.files(in: "bad") + Self.files(in: "beyond")
        #expect(Set(files) == Set(Self.expected.keys))
        for file in files {
            let faults = try Self.faults(of: file)
            #expect(
                faults.map { "\($0.pointer) \($0.code.rawValue)" } == Self.expected[file], "\(file)"
            )
            #expect(faults.allSatisfy { !$0.message.isEmpty }, "\(file)")
        }
    }

    @Test("a valid configuration has no faults")
    func valid() throws {
        let files = try Self.files(in: "good")
        #expect(!files.isEmpty)
        for file in files { #expect(try Self.faults(of: file) == [], "\(file)") }
    }
}

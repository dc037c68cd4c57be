import Foundation
import Testing

/// The files of the folder `config/contract`.
enum ContractFiles {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("config/contract").path

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    /// The names of the examples, without `.json`.
    static func examples() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/examples")
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// The bytes of an example, without the final line feed.
    ///
    /// With SIGHTLINE_WRITE_EXAMPLES in the environment, it first writes `bytes` to the example's
    /// file. Examine the change before the commit: subscribers depend on the format.
    static func example(_ name: String, written bytes: [UInt8]) throws -> [UInt8] {
        let path = "\(folder)/examples/\(name).json"
        if ProcessInfo.processInfo.environment["SIGHTLINE_WRITE_EXAMPLES"] != nil {
            try Data(bytes + [UInt8(ascii: "\n")]).write(to: URL(fileURLWithPath: path))
        }
        let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(file.last == UInt8(ascii: "\n"))
        return Array(file.dropLast())
    }
}

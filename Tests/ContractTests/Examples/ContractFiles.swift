import Foundation
import TestSupport
import Testing

/// The files of the folder `config/contract`.
enum ContractFiles {
    private static let folder = Checkout.root.appending(path: "config/contract").path

    static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    /// The names of the examples, without `.json`.
    static func examples() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/examples")
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    /// The bytes of an example, without the final line feed.
    static func example(_ name: String, written bytes: [UInt8]) throws -> [UInt8] {
        let file = try Checkout.example(
            "config/contract/examples/\(name).json", written: bytes + [UInt8(ascii: "\n")])
        #expect(file.last == UInt8(ascii: "\n"))
        return Array(file.dropLast())
    }
}

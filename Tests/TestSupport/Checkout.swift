import Foundation

/// The checkout that this test was compiled from.
package enum Checkout {
    /// Its folder, which has Package.swift.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !hasPackage(folder) { folder.deleteLastPathComponent() }
        return folder
    }()

    /// The bytes of a file in the checkout.
    ///
    /// With SIGHTLINE_WRITE_EXAMPLES in the environment, it first writes `bytes` to the file. Examine the change before the
    /// commit: subscribers depend on the format.
    package static func example(_ path: String, written bytes: [UInt8]) throws -> [UInt8] {
        let file = root.appending(path: path)
        if ProcessInfo.processInfo.environment["SIGHTLINE_WRITE_EXAMPLES"] != nil {
            try Data(bytes).write(to: file)
        }
        return [UInt8](try Data(contentsOf: file))
    }

    /// Whether the example of a result is this text.
    package static func isResult(_ name: String, _ text: String) throws -> Bool {
        let bytes = Array((text + "\n").utf8)
        return try example("config/contract/examples/results/\(name).json", written: bytes) == bytes
    }

    private static func hasPackage(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    }
}

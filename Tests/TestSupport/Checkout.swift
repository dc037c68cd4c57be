import Foundation

/// The checkout that this test was compiled from.
package enum Checkout {
    /// Its folder, which has Package.swift.
    package static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/", !hasPackage(folder) { folder.deleteLastPathComponent() }
        return folder
    }()

    private static func hasPackage(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
    }
}

import Foundation

/// The package's own programs, as they were built.
package enum BuiltProgram {
    /// The program, which is built into the same folder as the tests; `nil` when it was not.
    package static func find(_ name: String) -> String? {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let candidates = [link].compactMap(\.self) + CommandLine.arguments
        return candidates.lazy
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/" + name }
            .first(where: FileManager.default.isExecutableFile)
    }
}

import Foundation

/// The package's own programs.
package enum BuiltProgram {
    /// The path of a program in the folder of the tests; `nil` when it was not built.
    package static func find(_ name: String) -> String? {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let candidates = [link].compactMap(\.self) + CommandLine.arguments
        return candidates.lazy
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/" + name }
            .first(where: FileManager.default.isExecutableFile)
    }
}

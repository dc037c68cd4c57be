import Foundation

/// A program of the system.
package enum Tool {
    /// The path of a tool: the given path, or in PATH, or in Debian's folders of daemons; `nil`
    /// when it is not installed.
    package static func find(_ name: String) -> String? {
        if name.hasPrefix("/") {
            return FileManager.default.isExecutableFile(atPath: name) ? name : nil
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// The tool is installed and works: a tracer, for example, is not permitted on every machine.
    package static func works(_ name: String, _ arguments: [String]) -> Bool {
        guard find(name) != nil else { return false }
        return (try? run(name, arguments)) != nil
    }

    /// A tool may compute for minutes, beside others.
    private static let patience = 900.0

    /// Runs the tool to its end; the error of a failure has its output.
    package static func run(_ name: String, _ arguments: [String]) throws {
        let child = try ChildProcess(name, arguments)
        let status = child.waitForExit(within: patience)
        guard status == 0 else {
            let end = status.map { "status \($0)" } ?? "no end within \(patience) s"
            throw TestFailure(
                ([name] + arguments + ["→ \(end)"]).joined(separator: " ") + "\n"
                    + child.lines.joined(separator: "\n"))
        }
    }
}

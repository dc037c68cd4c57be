import Foundation

/// A program on a terminal of tmux(1), which draws what the program writes.
package final class TerminalEmulator {
    private let server = "sightline-\(UUID().uuidString)"
    private let environment: [String: String]
    private var first: ChildProcess?

    private var arguments: [String] { ["-u", "-L", server, "-f", "/dev/null"] }

    package static var isInstalled: Bool { Tool.works("tmux", ["-V"]) }
    package static let howToInstall = "tmux is not installed: apt install tmux"

    /// Starts a shell command. After its end, also by Ctrl-C, the line `ended with N` follows.
    package init(
        _ command: String, columns: Int, rows: Int, environment: [String: String] = [:]
    ) throws {
        self.environment = ["LANG": "C.UTF-8", "PATH": "/usr/bin:/bin:/usr/sbin"]
        let settings = environment.map { "\($0.key)='\($0.value)'" }.joined(separator: " ")
        // The server keeps the pipes of its first client, so their end is no event to wait for.
        first = try ChildProcess(
            "tmux",
            arguments + [
                "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
                "trap : INT; env \(settings) sh -c '\(command)'; echo ended with $?; exec cat",
            ], environment: self.environment)
        guard Deadline.wait(until: { (try? tmux(["has-session"])) != nil }) else {
            throw TestFailure("tmux does not start: \(first?.lines ?? [])")
        }
    }

    deinit { _ = try? tmux(["kill-server"]) }

    /// Types keys by their names in tmux: `Down`, `C-z`, `q`.
    package func type(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

    package func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines on the screen, without spaces at their ends.
    package var lines: [String] {
        (try? tmux(["capture-pane", "-p"])) ?? []
    }

    /// Waits until the screen has such a line.
    package func waitForLine(where matches: (String) -> Bool) -> String? {
        var found: String?
        _ = Deadline.wait {
            found = lines.first(where: matches)
            return found != nil
        }
        return found
    }

    package func wait(until isMet: ([String]) -> Bool) -> Bool {
        Deadline.wait { isMet(lines) }
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> [String] {
        let child = try ChildProcess(
            "tmux", self.arguments + arguments, environment: environment)
        guard child.waitForExit() == 0 else {
            throw TestFailure("tmux \(arguments): \(child.lines.joined(separator: "\n"))")
        }
        return child.lines
    }
}

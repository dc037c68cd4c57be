import Foundation
import Posix

/// A private mosquitto on a free port of the loopback interface. It ends with its owner.
package final class Broker {
    /// The TLS settings of the broker.
    package struct TLS: Sendable {
        package var server: Certificates.Pair
        /// Clients must show a certificate signed by this authority.
        package var clientCAFile: String?

        package init(server: Certificates.Pair, clientCAFile: String? = nil) {
            self.server = server
            self.clientCAFile = clientCAFile
        }
    }

    package struct Options: Sendable {
        package var tls: TLS?
        /// Names and passwords; empty accepts all clients.
        package var users: [String: String] = [:]
        /// Lines of an access-control file; empty permits everything.
        package var access: [String] = []
        /// It keeps the sessions of its clients and their queued messages, even when it is killed.
        package var remembers = false
        /// Further lines of the configuration, e.g. `max_packet_size 2000`.
        package var lines: [String] = []

        package init() {}
    }

    /// Whether the Debian packages that the tests need are installed.
    package static let isInstalled = [
        "mosquitto", "mosquitto_sub", "mosquitto_passwd", "openssl",
    ].allSatisfy { Tool.find($0) != nil }

    /// The advice when they are not installed.
    package static let howToInstall =
        "mosquitto is not installed: apt-get install mosquitto mosquitto-clients openssl"

    package let folder: TemporaryFolder
    package private(set) var port: UInt16 = 0
    private let options: Options
    private var process: ChildProcess?

    package init(_ options: Options = Options(), folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.options = options
        if !options.users.isEmpty {
            try self.folder.write("", to: "passwords")
            for (name, password) in options.users {
                try Tool.run(
                    "mosquitto_passwd", ["-b", self.folder.file("passwords"), name, password])
            }
        }
        try start(attempts: 5)
    }

    deinit { process?.send(SIGKILL) }

    /// The broker's own log.
    package var log: [String] { process?.lines ?? [] }

    /// Waits for a line of the broker's log.
    package func waitForLog(_ text: String, within seconds: Double = Deadline.limit) -> Bool {
        process?.waitForLine(within: seconds) { $0.contains(text) } != nil
    }

    /// Waits for a message that a client has published.
    package func waitForMessage(
        from client: String, to topic: String, within seconds: Double = Deadline.limit
    ) -> Bool {
        process?.waitForLine(within: seconds) {
            $0.contains("Received PUBLISH from \(client) ") && $0.contains("'\(topic)'")
        } != nil
    }

    /// Kills it (SIGKILL).
    package func kill() { end(SIGKILL) }

    /// Stops it cleanly (SIGTERM).
    package func stop() { end(SIGTERM) }

    /// Suspends it (SIGSTOP).
    package func suspend() { process?.send(SIGSTOP) }

    /// Resumes it (SIGCONT).
    package func resume() { process?.send(SIGCONT) }

    /// Starts it again on the same port, after `kill` or `stop`.
    package func restart() throws { try start(attempts: 1) }

    /// Replaces the access-control file, which `Options.access` must have created. Connections stay (mosquitto(8), SIGHUP).
    package func allow(_ access: [String]) throws {
        try folder.write(access.joined(separator: "\n") + "\n", to: "access")
        process?.send(SIGHUP)
    }

    private func end(_ signal: Int32) {
        process?.send(signal)
        process?.waitForExit()
        process = nil
    }

    private func start(attempts: Int) throws {
        var log: [String] = []
        for _ in 0..<attempts {
            // Another program may take a free port before the broker does: the next attempt uses
            // another port.
            if attempts > 1 { port = try Ports.free() }
            try folder.write(configuration, to: "mosquitto.conf")
            let child = try ChildProcess("mosquitto", ["-c", folder.file("mosquitto.conf")])
            let line = child.waitForLine { $0.hasSuffix("running") }
            if line != nil {
                process = child
                return
            }
            child.send(SIGKILL)
            log = child.lines
        }
        throw TestFailure("mosquitto did not start: " + log.joined(separator: "\n"))
    }

    private var configuration: String {
        var lines = ["log_dest stderr", "log_type all"]
        // As root, mosquitto would switch to another user, which can't read the files.
        if getuid() == 0 { lines.append("user root") }
        lines += ["listener \(port) 127.0.0.1"]
        if let tls = options.tls {
            lines += ["certfile \(tls.server.certFile)", "keyfile \(tls.server.keyFile)"]
            if let file = tls.clientCAFile {
                lines += ["cafile \(file)", "require_certificate true"]
            }
        }
        let decideThemselves = options.lines.contains { $0.hasPrefix("allow_anonymous") }
        if options.users.isEmpty {
            if !decideThemselves { lines.append("allow_anonymous true") }
        } else {
            lines += ["allow_anonymous false", "password_file \(folder.file("passwords"))"]
        }
        if options.remembers {
            lines += [
                "persistence true", "persistence_location \(folder.path)/",
                "autosave_on_changes true", "autosave_interval 1",
            ]
        }
        if !options.access.isEmpty {
            let file = folder.file("access")
            try? options.access.joined(separator: "\n").appending("\n")
                .write(toFile: file, atomically: true, encoding: .utf8)
            lines.append("acl_file \(file)")
        }
        return (lines + options.lines).joined(separator: "\n") + "\n"
    }
}

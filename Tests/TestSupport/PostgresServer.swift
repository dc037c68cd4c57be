import Foundation

/// A server of PostgreSQL with a new folder of its own, on a Unix socket only. It does not run as root.
package final class PostgresServer: @unchecked Sendable {
    private let folder: TemporaryFolder
    /// Guards the process.
    private let lock = NSLock()
    private var process: ChildProcess?

    /// The folder of the newest installed version; Debian has them beside each other.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.sorted { Double($0) ?? 0 < Double($1) ?? 0 }.map { "\(root)/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    package static var isInstalled: Bool { programs != nil }

    /// One for all tests, which have databases of their own. It ends with this process.
    package static let shared = Result {
        let server = try PostgresServer()
        ending.withLock { lastServer = server }
        atexit {
            lastServer?.stop()
            lastServer?.removeFiles()
        }
        return server
    }

    /// Guards `lastServer`.
    private static let ending = NSLock()
    nonisolated(unsafe) private static var lastServer: PostgresServer?

    package init() throws {
        folder = try TemporaryFolder()
        if let account = Self.account { chown(folder.path, account.user, account.group) }
        let initialised = try run(
            "initdb",
            [
                "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                "--no-sync",
            ])
        guard initialised.waitForExit() == 0 else {
            throw TestFailure("initdb: \(initialised.lines)")
        }
        try start()
    }

    deinit { stop() }

    private var data: String { folder.file("data") }

    /// The user `nobody` for root, which PostgreSQL refuses.
    private static let account: (user: uid_t, group: gid_t)? = {
        guard getuid() == 0, let entry = getpwnam("nobody") else { return nil }
        return (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }()

    private func run(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        guard let programs = Self.programs else {
            throw TestFailure("PostgreSQL is not installed")
        }
        let path = "\(programs)/\(program)"
        guard let account = Self.account else { return try ChildProcess(path, arguments) }
        return try ChildProcess(
            "setpriv",
            ["--reuid=\(account.user)", "--regid=\(account.group)", "--clear-groups", path]
                + arguments)
    }

    /// Starts it, also again after `stop`.
    package func start() throws {
        let child = try run(
            "postgres",
            [
                "-D", data, "-k", folder.path, "-c", "listen_addresses=", "-c", "fsync=off",
                "-c", "max_connections=40",
            ])
        lock.withLock { process = child }
        guard child.waitForLine(where: { $0.contains("ready to accept connections") }) != nil
        else { throw TestFailure("PostgreSQL does not start: \(child.lines)") }
    }

    /// Ends it at once, as a crash does.
    package func stop() {
        let child = lock.withLock {
            defer { process = nil }
            return process
        }
        child?.send(SIGQUIT)
        _ = child?.waitForExit()
    }

    private func removeFiles() { try? FileManager.default.removeItem(atPath: folder.path) }

    /// The connection string of a database.
    package func settings(_ database: String) -> String {
        "host='\(folder.path)' user=postgres dbname=\(database)"
    }

    /// Creates a database, and returns its connection string.
    package func createDatabase() throws -> String {
        let name = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        _ = try query("CREATE DATABASE \(name)", in: settings("postgres"))
        return settings(name)
    }

    /// Runs SQL with psql.
    ///
    /// - Returns: a line for each row.
    @discardableResult
    package func query(_ text: String, in settings: String) throws -> [String] {
        let psql = try run(
            "psql", ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, settings])
        guard psql.waitForExit() == 0 else { throw TestFailure("\(text): \(psql.lines)") }
        return psql.lines
    }
}

import Diagnosis
import HTTP
import JSON
import Posix
import Primitives
import ResultStore
import ServerConfiguration

/// Checks of a server's files, its store and its page.
extension Check {
    static func configuration(_ path: String, queues: Int, failure: Errno?) -> Check {
        guard let failure else {
            return Check("configuration", .ok, "\(path): \(count(queues, "queue"))")
        }
        return Check(
            "configuration", .wrong,
            "\(path): the server's user can't read it (\(failure)): run 'chgrp sightline-server' and 'chmod g+r' on it"
        )
    }

    static func server(_ process: Int32?) -> Check {
        let text =
            process.map { "process \($0) is running: it reports its broker and its gateways" }
            ?? "no server is running: the broker is checked as the server does it"
        return Check("server", .ok, text)
    }

    static func tokens(_ path: String, _ bytes: [UInt8], mode: UInt32) -> Check {
        do throws(Faults) {
            let tokens = try AccessTokens(parsing: bytes).tokens
            guard mode & 0o007 == 0 else {
                return Check(
                    "tokens", .warning,
                    "\(path): every user of this machine can read it: run 'chmod o=' on it")
            }
            return Check("tokens", .ok, "\(path): \(count(tokens.count, "token"))")
        } catch {
            return Check("tokens", .wrong, error.list.first?.line(of: path) ?? path)
        }
    }

    /// - Parameter kept: how long files that were set aside are kept.
    static func store(_ path: String, _ inventory: StoreInventory, kept: String) -> Check {
        if let first = inventory.files.first(where: \.isSetAside)?.path {
            return Check(
                "store", .warning,
                "\(first) was set aside with its rows; the running server keeps it \(kept), and then erases it: look for the cause in the log"
            )
        }
        let rows = inventory.tables.reduce(0) { $0 + $1.rows }
        return Check("store", .ok, "\(path): \(count(rows, "row"))")
    }

    static func store(_ place: String, _ failure: StoreFailure, isFile: Bool) -> Check {
        let remedy =
            isFile
            ? "restart the server, which sets a damaged file aside and keeps its readable rows"
            : "check the database, and libpq's service and password files; psql with the same "
                + "connection string shows the same fault. A server that has started creates the tables"
        return Check("store", .wrong, "\(place): \(failure): \(remedy)")
    }

    /// - Parameter isRefuge: whether the folder is for keys that the disk does not take.
    static func keys(
        _ keys: KeyFolder, isRefuge: Bool = false, at wall: UnixTime, isRunning: Bool
    ) -> Check {
        let files = keys.files.filter { DayKey.Name(file: $0) != nil }
        for name in files.sorted().compactMap({ DayKey.Name(file: $0) }) {
            guard case .damaged(let reason) = keys.read(name) else { continue }
            return Check(
                "keys", .wrong,
                "\(keys.path(of: name)): \(reason): check the disk; "
                    + (isRunning
                        ? "the running server writes the key again within a minute"
                        : "the server that starts begins a new key, and loses the visits of that moment")
            )
        }
        let overdue = NeededKeys.overdue(files, at: wall)
        guard let first = overdue.first else {
            let text = count(files.count, "key")
            guard !isRefuge || files.isEmpty else {
                return Check(
                    "keys", .warning,
                    "\(keys.path): \(text) that the disk does not take: correct the fault of the disk before a reboot, which loses them"
                )
            }
            return Check("keys", .ok, "\(keys.path): \(text), of days that are not closed")
        }
        let more = overdue.count > 1 ? " and \(overdue.count - 1) more" : ""
        let place = "\(keys.path)/\(first)\(more): the day is over"
        return isRunning
            ? Check(
                "keys", .wrong,
                "\(place), and the running server has not destroyed the key: see its log, and remove the file"
            )
            : Check("keys", .warning, "\(place): start the server, which destroys the key")
    }

    /// - Parameter answer: of `/healthz`; `nil` without one.
    static func health(_ answer: ServerPage.Answer?, _ listen: ListenAddress) -> Check {
        guard let answer else {
            return Check(
                "page", .wrong,
                "\(listen): the running server does not answer: see its log; it may have another http.listen"
            )
        }
        if answer.status == 200 {
            return Check("page", .ok, "\(listen): connected to the broker, results are stored")
        }
        if answer.status == 401 {
            return Check(
                "page", .skipped,
                "\(listen): the server runs, and tells its state only with a token")
        }
        return Check(
            "page", .wrong,
            "\(listen): \(answer.detail ?? "the server answers \(answer.status)") See its log")
    }

    /// - Parameter isTaken: whether a program listens there, although no server runs.
    static func address(isTaken: Bool, _ listen: ListenAddress) -> Check {
        if let fault = listen.fault { return Check("page", .wrong, fault) }
        return isTaken
            ? Check(
                "page", .wrong,
                "\(listen): another program listens there: stop it, or choose another http.listen")
            : Check("page", .ok, "\(listen): free")
    }

    static func hosts(_ settings: HTTPSettings) -> Check {
        let names = settings.hosts.joined(separator: ", ")
        switch (settings.listen.isLocal, settings.hosts.isEmpty) {
        case (true, true):
            return Check(
                "hosts", .ok,
                "browsers of this machine only; a reverse proxy (nginx/sightline.conf among the examples) needs http.tokens, and its name in http.hosts"
            )
        case (true, false):
            return Check("hosts", .ok, "browsers of this machine, and those that use \(names)")
        case (false, true):
            return Check(
                "hosts", .warning,
                "browsers can use the address only: add the server's names to http.hosts")
        case (false, false): return Check("hosts", .ok, "browsers may use \(names)")
        }
    }
}

extension ExaminedProgram {
    static let server = ExaminedProgram(
        name: "server", group: "sightline-server", loss: "the server does not start",
        growth: "the store", remedy: "free some space, or lower retention.minutesDays")
}

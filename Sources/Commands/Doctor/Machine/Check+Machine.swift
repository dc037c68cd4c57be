import Contract
import Posix
import Primitives

/// Checks of files, clock and disk.
extension Check {
    static func configuration(_ path: String, _ topics: Topics, objection: Errno?) -> Check {
        guard let objection else {
            return Check("configuration", .ok, "\(path): \(topics.place)")
        }
        return Check(
            "configuration", .wrong,
            "\(path): the agent's user can't read it (\(objection)): run 'chgrp sightline' and 'chmod g+r' on it"
        )
    }

    /// A file of the configuration.
    static func file(_ purpose: String, _ path: String, objection: Errno?) -> Check {
        switch objection {
        case nil: Check("files", .ok, "\(path): readable")
        case .noSuchFile:
            Check(
                "files", .wrong,
                "\(path): no such file: put the \(purpose) there, or correct the configuration"
            )
        case .permissionDenied:
            Check(
                "files", .wrong,
                "\(path): the agent's user can't read the \(purpose): run 'chgrp sightline' and 'chmod g+r' on it, or correct the folders above it"
            )
        case let error?: Check("files", .wrong, "\(path): the \(purpose) can't be read: \(error)")
        }
    }

    static func agent(_ agent: RunningAgent?) -> Check {
        guard let agent else {
            return Check(
                "agent", .ok, "no agent is running: the radio is used as the agent does")
        }
        return Check(
            "agent", .ok,
            "process \(agent.process) is running: checks that disturb it are skipped")
    }

    /// - Parameter error: the maximum error of the wall clock, in microseconds.
    static func clock(error: Int64?) -> Check {
        guard let error, error < Clocks.toleratedWallClockError else {
            return Check(
                "clock", .warning,
                "not synchronised: run 'timedatectl set-ntp true', and allow outgoing UDP port 123; until then messages have the clock \"unsynced\""
            )
        }
        return Check("clock", .ok, "synchronised, the error is at most \(error / 1000 + 1) ms")
    }

    /// A folder of the agent's state.
    struct StateFolder: Equatable {
        var path: String
        /// The folder itself, or the first parent that exists.
        var nearest: String
        /// The error of a write to `nearest` by the agent's user.
        var objection: Errno?
        var isFolder = true
        var space: DiskSpace?
        /// The bytes by which the outbox can still grow.
        var wanted: Int64
    }

    /// Checks that the agent can save its state.
    static func state(_ folder: StateFolder?) -> Check {
        guard let folder else {
            return Check(
                "state", .warning,
                "no state directory: unsent batches are lost on exit; set stateDirectory in the configuration"
            )
        }
        if folder.space?.isReadOnly == true || folder.objection?.isReadOnlyDisk == true {
            return Check(
                "state", .wrong,
                "\(folder.path): the file system is read-only: see 'dmesg', and mount it read-write"
            )
        }
        guard folder.isFolder else {
            return Check(
                "state", .wrong,
                "\(folder.path): \(folder.nearest) is not a folder: move it, or correct stateDirectory"
            )
        }
        if let objection = folder.objection {
            return Check(
                "state", .wrong,
                "\(folder.path): the agent's user can't write in \(folder.nearest) (\(objection)): create \(folder.path), and change its owner with 'chown'"
            )
        }
        let exists = folder.path == folder.nearest
        return Check(
            "state", .ok, "\(folder.path): " + (exists ? "writable" : "can be created"))
    }

    /// Checks that the agent can write the metrics file.
    ///
    /// - Parameter objection: the error of a write to its folder by the agent's user.
    static func metrics(_ path: String, objection: Errno?) -> Check {
        let folder = File.folder(of: path)
        return switch objection {
        case nil: Check("metrics", .ok, "\(path): writable")
        case .noSuchFile:
            Check(
                "metrics", .warning,
                "no folder \(folder): start the service if it creates the folder, or create it, or correct metrics.textfile"
            )
        case let reason?:
            Check(
                "metrics", .wrong,
                "the agent's user can't write in \(folder) (\(reason)): change its owner with 'chown', or correct metrics.textfile"
            )
        }
    }

    /// Checks the free space for the outbox.
    static func disk(_ folder: StateFolder) -> Check {
        guard let space = folder.space else {
            return Check("disk", .skipped, "\(folder.path): the free space is unknown")
        }
        let free = "\(space.free.mebibytes) MiB are free"
        guard space.free < folder.wanted else {
            return Check("disk", .ok, "\(folder.path): \(free)")
        }
        return Check(
            "disk", .warning,
            "\(folder.path): \(free), and the outbox can need \(folder.wanted.mebibytes): free some space, or lower outbox.maxBytes"
        )
    }
}

extension Int64 {
    fileprivate var mebibytes: String { (self >> 20).grouped }
}

extension Errno {
    fileprivate var isReadOnlyDisk: Bool { self == .readOnlyFileSystem }
}

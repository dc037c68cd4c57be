import Contract
import Posix
import Primitives

/// Judgements on the machine: its files, its clock, its disk.
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

    /// A file that the configuration names.
    static func file(_ purpose: String, _ path: String, objection: Errno?) -> Check {
        switch objection {
        case nil: Check("files", .ok, "\(path): can be read")
        case .noSuchFile:
            Check(
                "files", .wrong,
                "\(path): there is no such file: put the \(purpose) there, or correct the configuration"
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
                "agent", .ok, "no agent is running here: the radio is tried as the agent would")
        }
        return Check(
            "agent", .ok,
            "process \(agent.process) is running: what would disturb it is left out")
    }

    /// - Parameter error: how far off the wall clock may be, in microseconds.
    static func clock(error: Int64?) -> Check {
        guard let error, error < Clocks.toleratedWallClockError else {
            return Check(
                "clock", .warning,
                "nobody sets it: run 'timedatectl set-ntp true', and let UDP port 123 out; until then messages say \"unsynced\""
            )
        }
        return Check("clock", .ok, "right to \(error / 1000 + 1) ms at most")
    }

    /// What is known of the folder that the agent keeps things in.
    struct StateFolder: Equatable {
        var path: String
        /// It is there, or the first folder above it that is.
        var nearest: String
        /// What keeps the agent's user from writing into that one.
        var objection: Errno?
        var isFolder = true
        var space: DiskSpace?
        /// What the outbox may still grow by, in bytes.
        var wanted: Int64
    }

    /// Whether what must outlast the agent can be written.
    static func state(_ folder: StateFolder?) -> Check {
        guard let folder else {
            return Check(
                "state", .warning,
                "nobody says where what waits is kept: set stateDirectory in the configuration")
        }
        if folder.space?.isReadOnly == true || folder.objection?.isReadOnlyDisk == true {
            return Check(
                "state", .wrong,
                "\(folder.path): the file system is read-only: see 'dmesg', and mount it for writing"
            )
        }
        guard folder.isFolder else {
            return Check(
                "state", .wrong,
                "\(folder.path): \(folder.nearest) is no folder: move it away, or correct stateDirectory"
            )
        }
        if let objection = folder.objection {
            return Check(
                "state", .wrong,
                "\(folder.path): the agent's user can't write in \(folder.nearest) (\(objection)): make \(folder.path), and give it to that user with 'chown'"
            )
        }
        let isThere = folder.path == folder.nearest
        return Check(
            "state", .ok, "\(folder.path): " + (isThere ? "can be written" : "can be made"))
    }

    /// Whether the metrics' file can be written.
    ///
    /// - Parameter objection: what keeps the agent's user from writing in its folder.
    static func metrics(_ path: String, objection: Errno?) -> Check {
        let folder = File.folder(of: path)
        return switch objection {
        case nil: Check("metrics", .ok, "\(path): can be written")
        case .noSuchFile:
            Check(
                "metrics", .warning,
                "there is no folder \(folder): start the service where that makes it, or make it yourself, or correct metrics.textfile"
            )
        case let reason?:
            Check(
                "metrics", .wrong,
                "the agent's user can't write in \(folder) (\(reason)): give it to that user with 'chown', or correct metrics.textfile"
            )
        }
    }

    /// Whether there is room for what may wait.
    static func disk(_ folder: StateFolder) -> Check {
        guard let space = folder.space else {
            return Check("disk", .skipped, "\(folder.path): nobody knows how much is free")
        }
        let free = "\(space.free.mebibytes) MiB are free"
        guard space.free < folder.wanted else {
            return Check("disk", .ok, "\(folder.path): \(free)")
        }
        return Check(
            "disk", .warning,
            "\(folder.path): \(free), and the outbox may want \(folder.wanted.mebibytes): make room, or lower outbox.maxBytes"
        )
    }
}

extension Int64 {
    fileprivate var mebibytes: String { (self >> 20).grouped }
}

extension Errno {
    fileprivate var isReadOnlyDisk: Bool { self == .readOnlyFileSystem }
}

import Posix
import Primitives

/// Checks of files, clock and disk.
extension Check {
    /// A file of the configuration.
    package static func file(
        _ purpose: String, _ path: String, of program: ExaminedProgram, failure: Errno?
    ) -> Check {
        switch failure {
        case nil: Check("files", .ok, "\(path): readable")
        case .noSuchFile:
            Check(
                "files", .wrong,
                "\(path): no such file: put the \(purpose) there, or correct the configuration"
            )
        case .permissionDenied:
            Check(
                "files", .wrong,
                "\(path): the \(program.name)'s user can't read the \(purpose): run 'chgrp \(program.group)' and 'chmod g+r' on it, or correct the folders above it"
            )
        case let error?: Check("files", .wrong, "\(path): the \(purpose) can't be read: \(error)")
        }
    }

    /// - Parameters:
    ///   - error: the maximum error of the wall clock.
    ///   - consequence: what holds until the clock is set.
    package static func clock(error: Duration?, consequence: String) -> Check {
        guard let error, error < Clocks.toleratedWallClockError else {
            return Check(
                "clock", .warning,
                "not synchronised: run 'timedatectl set-ntp true', and allow outgoing UDP port 123; until then \(consequence)"
            )
        }
        return Check(
            "clock", .ok, "synchronised, the error is at most \(error.milliseconds + 1) ms")
    }

    /// Checks that a program can save its state.
    package static func state(_ folder: StateFolder?, of program: ExaminedProgram) -> Check {
        guard let folder else {
            return Check(
                "state", .warning,
                "no state directory: \(program.loss); set stateDirectory in the configuration"
            )
        }
        if folder.space?.isReadOnly == true || folder.failure?.isReadOnlyDisk == true {
            return Check(
                "state", .wrong,
                "\(folder.path): the file system is read-only: see 'dmesg', and mount it read-write"
            )
        }
        if let reason = folder.impossibility { return Check("state", .wrong, reason) }
        if let failure = folder.failure {
            return Check(
                "state", .wrong,
                "\(folder.path): the \(program.name)'s user can't write in \(folder.nearest) (\(failure)): create \(folder.path), and change its owner with 'chown'"
            )
        }
        let exists = folder.path == folder.nearest
        return Check(
            "state", .ok, "\(folder.path): " + (exists ? "writable" : "can be created"))
    }

    /// Checks the free space.
    package static func disk(_ folder: StateFolder, of program: ExaminedProgram) -> Check {
        guard let space = folder.space else {
            return Check("disk", .skipped, "\(folder.path): the free space is unknown")
        }
        let free = "\(space.free.mebibytes) MiB are free"
        guard space.free < folder.wanted else {
            return Check("disk", .ok, "\(folder.path): \(free)")
        }
        return Check(
            "disk", .warning,
            "\(folder.path): \(free), and \(program.growth) can need \(folder.wanted.mebibytes): \(program.remedy)"
        )
    }
}

extension Int64 {
    fileprivate var mebibytes: String { (self >> 20).grouped }
}

extension Errno {
    fileprivate var isReadOnlyDisk: Bool { self == .readOnlyFileSystem }
}

/// The words for a program in the sentences of checks.
package struct ExaminedProgram: Equatable, Sendable {
    /// `agent`.
    package let name: String
    /// The group that may read its files.
    package let group: String
    /// The data that is lost without a state directory.
    package let loss: String
    /// What grows on the disk.
    package let growth: String
    /// What helps if the disk is too small.
    package let remedy: String

    package init(name: String, group: String, loss: String, growth: String, remedy: String) {
        self.name = name
        self.group = group
        self.loss = loss
        self.growth = growth
        self.remedy = remedy
    }
}

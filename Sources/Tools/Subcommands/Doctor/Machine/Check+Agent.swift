import Contract
import Diagnosis
import Posix
import Primitives

/// Checks of the agent and its files.
extension Check {
    static func configuration(_ path: String, _ topics: Topics, failure: Errno?) -> Check {
        guard let failure else {
            return Check("configuration", .ok, "\(path): \(topics.place)")
        }
        return Check(
            "configuration", .wrong,
            "\(path): the agent's user can't read it (\(failure)): run 'chgrp sightline' and 'chmod g+r' on it"
        )
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

    /// Checks that the agent can write the metrics file.
    ///
    /// - Parameter failure: the error of a write to its folder by the agent's user.
    static func metrics(_ path: String, failure: Errno?) -> Check {
        let folder = File.folder(of: path)
        return switch failure {
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
}

/// The agent that runs on this machine: the process with the lock on the state directory.
struct RunningAgent: Equatable {
    let process: Int32
    /// Its capabilities; `nil` if they can't be read.
    let privileges: Privileges?
    let account: Account?

    init(process: Int32, privileges: Privileges?, account: Account? = nil) {
        self.process = process
        self.privileges = privileges
        self.account = account
    }

    /// Reads the owner of the lock; `nil` if no process has it.
    init?(stateDirectory: String?) {
        guard let stateDirectory, let process = FolderLock.holder(of: stateDirectory) else {
            return nil
        }
        let owner = (try? FilePermissions(of: "/proc/\(process)"))?.owner
        self.init(
            process: process, privileges: Privileges(ofProcess: process),
            account: owner.flatMap { Account.of(user: $0) })
    }
}

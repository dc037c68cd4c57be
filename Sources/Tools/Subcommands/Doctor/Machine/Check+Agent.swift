import Contract
import Diagnosis
import Posix
import Primitives

/// Checks of the agent and its files.
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
}

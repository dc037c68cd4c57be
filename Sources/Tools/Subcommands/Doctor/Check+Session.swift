import Contract
import Diagnosis

extension Check {
    /// A broker may bind client identifiers to users: it then accepts one connection of this gateway.
    static let loginBesideAgent = Check(
        "login", .skipped,
        "the running agent uses this gateway's name at the broker: for this check, stop the agent")

    /// Checks that no other agent uses the names of this gateway. On this machine, no agent runs.
    ///
    /// - Parameters:
    ///   - status: the retained status at the broker.
    ///   - hasRival: whether another client appeared under these names during the check.
    static func session(_ status: StatusMessage?, hasRival: Bool, _ topics: Topics) -> Check {
        let remedy = "stop it, or give it names of its own"
        if hasRival {
            return Check(
                "session", .wrong,
                "another machine runs an agent with site \(topics.site) and gateway"
                    + " \(topics.gateway): \(remedy)")
        }
        guard let status, status.state != .offline else {
            return Check("session", .ok, "no other agent of this name was found")
        }
        return Check(
            "session", .warning,
            "session \(status.session) of this gateway is \(status.state.rawValue), but no agent runs"
                + " on this machine: if one runs on another machine, \(remedy)")
    }
}

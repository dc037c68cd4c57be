import Contract
import Diagnosis
import JSON
import Subscriber

/// Checks of a server's session at the broker, and of its gateways.
extension Check {
    /// A broker may bind client identifiers to users: it then accepts one connection of this server.
    static let loginBesideServer = Check(
        "login", .skipped,
        "the running server uses its name at the broker: for checks of rights, stop the server")

    /// Checks that no other server has this name. On this machine, none runs.
    ///
    /// - Parameters:
    ///   - status: the retained status at the broker.
    ///   - hasRival: whether another client appeared under this name during the check.
    static func session(_ status: [UInt8]?, hasRival: Bool, _ id: String) -> Check {
        let remedy = "stop it, or give one of them another server.id"
        if hasRival {
            return Check(
                "session", .wrong, "another machine runs a server with the name \(id): \(remedy)")
        }
        let json = status.flatMap { try? JSON(parsing: $0, maxBytes: 65_536) }
        guard json?["state"] == "online" else {
            return Check("session", .ok, "no other server of this name was found")
        }
        return Check(
            "session", .warning,
            "the server \(id) is online, but none runs on this machine: if one runs on another machine, \(remedy)"
        )
    }

    /// - Parameters:
    ///   - status: the retained message at the broker.
    ///   - atAll: whether there is one.
    static func gateway(_ place: String, status: [UInt8]?, atAll: Bool) -> Check {
        guard atAll else { return unseen(place) }
        let message = status.flatMap { try? StatusMessage(decoding: $0) }
        switch message?.state {
        case .online?: return Check("gateway", .ok, "\(place): online")
        case .offline?: return offline(place)
        case .degraded?: return degraded(place)
        case nil: return Check("gateway", .warning, "\(place): its status breaks the contract")
        }
    }

    /// - Parameters:
    ///   - json: the gateway in the API; `null` if the server does not know it.
    ///   - retains: whether the broker keeps the status of a gateway.
    static func gateway(_ place: String, _ json: JSON, retains: Bool = true) -> Check {
        let unseen = retains ? unseen(place) : unheard(place)
        guard case .string(let word)? = json["state"],
            let condition = GatewayCondition(rawValue: word)
        else { return unseen }
        switch condition {
        case .unknown: return unseen
        case .offline: return offline(place)
        case .degraded: return degraded(place)
        case .silent:
            return Check(
                "gateway", .wrong,
                "\(place): connected, and sends no windows: run 'sightline doctor' on it")
        case .deaf:
            return Check(
                "gateway", .wrong,
                "\(place): its radio receives nothing: run 'sightline doctor' on it")
        case .unsynced:
            return Check(
                "gateway", .warning,
                "\(place): its clock is not set, so its messages do not count: run 'timedatectl set-ntp true' on it"
            )
        case .refused, .rejected, .backlog, .pending, .behind, .losing, .expiring:
            return Check(
                "gateway", .warning,
                "\(place): \(condition.reason): run 'sightline status \(place)'")
        case .online: return Check("gateway", .ok, "\(place): online")
        }
    }

    /// A gateway that sends messages, and that no queue names.
    static func unused(_ place: String) -> Check {
        Check(
            "gateway", .warning,
            "\(place): in no queue, so nothing that it hears is counted: add it to a queue in sites"
        )
    }

    private static func unseen(_ place: String) -> Check {
        Check(
            "gateway", .wrong,
            "\(place): the broker has nothing of it: start its agent, or correct the name in sites")
    }

    private static func unheard(_ place: String) -> Check {
        Check(
            "gateway", .skipped,
            "\(place): no message since the server connected, and the broker keeps no status of it"
        )
    }

    private static func offline(_ place: String) -> Check {
        Check("gateway", .wrong, "\(place): offline: start its agent, or check its network")
    }

    private static func degraded(_ place: String) -> Check {
        Check(
            "gateway", .warning,
            "\(place): it reports a problem with its radio: run 'sightline doctor' on it")
    }
}

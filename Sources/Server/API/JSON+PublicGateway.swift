import HTTP
import JSON

extension JSON {
    /// A gateway as clients of the scope `public` get it: without its beacon and the versions of its layers.
    var publicGateway: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != "tuning" })
    }

    /// A gateway as a client gets it.
    func gateway(for scope: Scope?) -> JSON {
        (scope ?? .public) >= .read ? self : publicGateway
    }
}

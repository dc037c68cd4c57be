import Contract
import Primitives
import Subscriber

/// The assignments for the document of one layer.
struct LayerEdit {
    let name: LayerName
    let assignments: [Assignment]
}

/// The documents that a rollout changes, and how.
struct RolloutRequest {
    /// What happens to the broker's documents.
    enum Mode: Equatable {
        /// The assignments change them.
        case edit
        /// The assignments change empty documents, which replace them.
        case replace
        /// Their versions begin again; `replacing` starts with empty documents.
        case restart(replacing: Bool)
        /// They are removed; the edits have no assignments.
        case remove

        var startsEmpty: Bool { self == .replace || self == .restart(replacing: true) }

        var restartsVersions: Bool { if case .restart = self { true } else { false } }
    }

    var root = Topics.usualRoot
    var edits: [LayerEdit]
    /// Gateways that must answer, even if the broker has no message of theirs.
    var named: [GatewayName] = []
    var mode = Mode.edit
    var isDryRun = false
    /// Publishes for sites and gateways of which the broker has no message.
    var createsPlaces = false
    /// Waits for gateways that are offline.
    var waitsForOffline = false
    /// The most documents that change without a question; `nil` for no question.
    var mostUnasked: Int?
    /// The time that gateways have to answer.
    var timeout = Duration.seconds(30)

    /// The subscriptions. The dispensable ones come last: a broker drops messages beyond its queue for a client.
    var filters: [String] { neededFilters + dispensableFilters.sorted() }

    /// The states of all gateways, for the nearest names of an unknown place. A broker may allow less to a user.
    var dispensableFilters: Set<String> {
        Set([Topics.filter(.status, root: root)]).subtracting(neededFilters)
    }

    /// The documents, and the states and reports of the gateways that they concern.
    private var neededFilters: [String] {
        if edits.count == 1, let name = edits.first?.name, named.allSatisfy(name.covers) {
            return [name.topic(root: root)]
                + [Topics.Kind.reported, .status].map {
                    Topics.filter($0, root: root, site: name.site, gateway: name.gateway)
                }
        }
        // A plan subscribes site by site, so that each answer is small.
        return Set(edits.compactMap(\.name.site) + named.map(\.site)).sorted().flatMap { site in
            [
                Topics.desired(root: root, site: site),
                Topics.desired(root: root, site: site, gateway: "+"),
                Topics.filter(.reported, root: root, site: site),
                Topics.filter(.status, root: root, site: site),
            ]
        }
    }
}

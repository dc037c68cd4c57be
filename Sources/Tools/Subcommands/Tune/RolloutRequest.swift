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
    var root = Topics.usualRoot
    var edits: [LayerEdit]
    /// Gateways that must answer, even if the broker has no message of theirs.
    var named: [GatewayName] = []
    var isDryRun = false
    /// Publishes for sites and gateways of which the broker has no message.
    var createsPlaces = false
    /// Waits for gateways that are offline.
    var waitsForOffline = false
    /// Starts with empty documents instead of the broker's.
    var isReplacing = false
    /// Removes the documents; the edits have no assignments.
    var isRemoving = false
    /// Lets the documents' versions begin again.
    var restartsVersions = false
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

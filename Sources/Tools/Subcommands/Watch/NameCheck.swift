import Primitives
import Subscriber
import Terminal

/// Whether the broker has a gateway at all, and one of the site, or of the name, that the command line asks for.
struct NameCheck {
    /// What the retained messages show when all of them have arrived.
    enum Outcome: Equatable {
        /// No gateway of the place exists, with the nearest names.
        case unknown(String)
        /// No gateway has published anything, and the command line asks for none. Found once.
        case noGateway
    }

    private let site: String?
    private let gateway: String?
    private let selection: GatewaySelection?
    private var names: Set<GatewayName> = []
    private var isFound: Bool
    /// Whether no gateway has published anything.
    private(set) var isEmpty = true
    private var barrier = RetainedBarrier()
    /// Whether the retained messages have arrived without a gateway that the command line asks for.
    private(set) var isJudged = false

    private static let mostNames = 20_000
    private static let mostListed = 5

    init(site: String?, gateway: String?, selection: GatewaySelection? = nil) {
        self.site = site
        self.gateway = gateway
        self.selection = selection
        isFound = site == nil && gateway == nil && selection == nil
    }

    /// Notes a message of a gateway.
    ///
    /// - Returns: whether the command line asks for this gateway.
    mutating func includes(_ name: GatewayName) -> Bool {
        isEmpty = false
        let isIncluded =
            (site == nil || name.site == site) && (gateway == nil || name.id == gateway)
            && selection?.contains(name) ?? true
        if isIncluded {
            isFound = true
            names = []
        } else if !isFound, names.count < Self.mostNames {
            names.insert(name)
        }
        return isIncluded
    }

    /// All subscriptions are confirmed.
    mutating func subscribed(at now: Instant) { barrier.subscribed(at: now) }

    /// A retained message of any gateway has arrived.
    mutating func received(at now: Instant) { barrier.received(at: now) }

    /// The connection is lost: more retained messages follow on the next one.
    mutating func interrupt() { barrier = RetainedBarrier() }

    /// The time at which the retained messages have arrived; `nil` if they no longer matter.
    var due: Instant? {
        (isFound && !isEmpty) || isJudged ? nil : barrier.deadline
    }

    /// - Returns: what the messages of the broker at `broker` show; `nil` while they arrive, and if all is found.
    mutating func judge(at now: Instant, broker: String) -> Outcome? {
        guard let due, now >= due else { return nil }
        isJudged = true
        return unknown(at: broker).map(Outcome.unknown) ?? .noGateway
    }

    /// A sentence on the names that were not found; `nil` if they were found.
    func unknown(at broker: String) -> String? {
        guard !isFound else { return nil }
        let sites = Set(names.map(\.site)).sorted()
        if let site, !sites.contains(site) {
            return "broker \(broker) has no gateway of site “\(site)”"
                + Self.hint(site, sites, noun: "site")
        }
        if let selection {
            return "broker \(broker) has no gateway with \(selection.description)"
        }
        guard let gateway else { return nil }
        let gateways = Set(names.filter { site == nil || $0.site == site }.map(\.id)).sorted()
        return "broker \(broker) has no gateway “\(gateway)”"
            + (site.map { " in site “\($0)”" } ?? "")
            + Self.hint(gateway, gateways, noun: "gateway")
    }

    private static func hint(_ word: String, _ known: [String], noun: String) -> String {
        guard !known.isEmpty else { return "; it has no gateway at all" }
        let near = NearestWord.all(to: word, among: known).prefix(mostListed)
        guard near.isEmpty else {
            return "; did you mean \(near.map { "“\($0)”" }.joined(separator: ", "))?"
        }
        let more = known.count > mostListed ? ", …" : ""
        return "; it has \(count(known.count, noun)): "
            + known.prefix(mostListed).joined(separator: ", ") + more
    }
}

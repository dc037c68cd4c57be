import Contract
import MQTT
import Primitives
import Queueing
import ServerConfiguration
import Subscriber

/// Results on their way to the broker, each under its topic.
struct ResultOutlet {
    private let topics: ResultTopics
    private let statusTopic: String
    private var homeAssistant: DiscoveryPublisher?
    private var publications = PublicationQueue()
    private(set) var refused = RefusedPublications()
    private var nextToken: UInt64 = 0
    private var statusDue: Instant?

    private static let statusPause = Duration.seconds(30)
    /// A state is published at least every 30 s. Where the server is away for longer, the broker forgets it.
    private static let stateExpirySeconds: UInt32 = 120

    init(_ configuration: ServerConfiguration) {
        topics = ResultTopics(root: configuration.resultsRoot)
        statusTopic = topics.status(of: configuration.id)
        homeAssistant = DiscoveryPublisher(configuration)
    }

    /// Results that the broker did not take in time.
    var dropped: Int { publications.dropped }

    var isEmpty: Bool { publications.isEmpty }

    mutating func add(_ due: QueueStates.Due, site: String) {
        publications.add(
            Publication(
                topic: topics.topic(site: site, queue: due.queue), payload: due.document,
                isRetained: true, contentType: "application/json",
                expirySeconds: Self.stateExpirySeconds))
    }

    mutating func add(_ result: UncommittedResults.Released) {
        publications.add(
            Publication(
                topic: topics.topic(result.kind, site: result.site, queue: result.queue),
                payload: result.document, contentType: "application/json"))
    }

    /// Adds the status again after some seconds: the broker may have lost the retained one.
    mutating func refreshStatus(_ state: ServerState, at now: Instant) {
        if let statusDue, now < statusDue { return }
        statusDue = now + Self.statusPause
        addStatus(state)
        // The only other time for these documents is the next connection.
        if refused.contains(kind: Self.discovery) {
            addDiscovery(of: state.sites.map(\.layout))
        }
    }

    mutating func addStatus(_ state: ServerState, isOnline: Bool = true) {
        publications.add(
            Publication(
                topic: statusTopic,
                payload: ServerStatusMessage(
                    isOnline: isOnline, session: state.session, isDurable: state.isDurable
                ).encoded, isRetained: true, contentType: "application/json"))
    }

    mutating func addDiscovery(of sites: [SiteLayout]) {
        for publication in homeAssistant?.publications(of: sites) ?? [] {
            publications.add(publication)
        }
    }

    /// Follows a reload: removes the retained messages that do not belong to the new configuration any more.
    mutating func use(
        _ configuration: ServerConfiguration, from old: [SiteLayout], to new: [SiteLayout]
    ) {
        let before = retained(of: old)
        refused.forget()
        homeAssistant = DiscoveryPublisher(configuration)
        let kept = Set(retained(of: new))
        for topic in before where !kept.contains(topic) {
            // An empty retained message removes the one before (MQTT 5, section 3.3.1.3).
            publications.add(Publication(topic: topic, payload: [], isRetained: true))
        }
        addDiscovery(of: new)
    }

    private func retained(of sites: [SiteLayout]) -> [String] {
        sites.flatMap { site in
            site.queues.map { topics.topic(site: site.site, queue: $0.name) }
        } + (homeAssistant?.publications(of: sites).map(\.topic) ?? [])
    }

    /// The connection begins.
    mutating func onConnection(_ state: ServerState) {
        refused.forget()
        addStatus(state)
        addDiscovery(of: state.sites.map(\.layout))
    }

    /// - Returns: what the log says about a refusal.
    mutating func answered(
        _ token: UInt64, _ reason: ReasonCode
    ) -> RefusedPublications.Refusal? {
        refused.answered(token, reason)
    }

    /// Hands results to the broker as far as it takes them.
    ///
    /// - Returns: what the log says about refusals.
    mutating func send(to link: BrokerLink) -> [RefusedPublications.Refusal] {
        var refusals: [RefusedPublications.Refusal] = []
        var (token, refused) = (nextToken, refused)
        let kind = { [topics, statusTopic] in Self.kind(of: $0, topics, statusTopic) }
        publications.send { publication in
            guard link.takesPublications else { return false }
            token += 1
            do throws(PublishFailure) {
                try link.publish(publication, token: token)
                refused.sent(publication, kind: kind(publication.topic), token: token)
                return true
            } catch {
                guard case .refused(let reason) = error else { return false }
                // A refused publication can't be sent later either.
                refused.sent(publication, kind: kind(publication.topic), token: token)
                if let refusal = refused.answered(token, reason) { refusals.append(refusal) }
                return true
            }
        }
        (nextToken, self.refused) = (token, refused)
        return refusals
    }

    private static let discovery = "discovery"

    /// What the broker's access list has one rule for.
    private static func kind(
        of topic: String, _ topics: ResultTopics, _ statusTopic: String
    ) -> String {
        if topic == statusTopic { return "status" }
        return topics.parse(topic).map { "queue\($0.kind.rawValue)" } ?? discovery
    }
}

import Contract
import HomeAssistant
import MQTT
import Posix
import Primitives
import Queueing
import Results
import ServerConfiguration
import Session
import Subscriber

/// Results on their way to the broker, each under its topic.
struct ResultOutlet {
    private let topics: ResultTopics
    private let statusTopic: String
    private var homeAssistant: DiscoveryPublisher?
    private(set) var webhook: Webhook?
    private var publications = PublicationQueue()
    private(set) var refused = RefusedPublications()
    private var nextToken: UInt64 = 0
    private var statusDue: Instant?
    /// The layouts by site that the broker has, with what people have changed.
    private var told: [String: SiteLayout] = [:]

    private static let statusPause = Duration.seconds(30)
    /// A state is published again before. Where the server is away for longer, the broker forgets it.
    private static func expirySeconds(of kind: ResultKind) -> UInt32 {
        let pace = PresentKind.all.first { $0.kind.name == kind.name }?.pace.upperBound
        return UInt32(clamping: 4 * (pace ?? ResultTopics.longestPause).components.seconds)
    }

    /// - Parameter posts: whether its events reach the webhook.
    init(_ configuration: ServerConfiguration, posts: Bool = true) {
        topics = ResultTopics(root: configuration.resultsRoot)
        statusTopic = topics.status(of: configuration.id)
        homeAssistant = DiscoveryPublisher(configuration)
        webhook = posts ? configuration.webhook.map { Webhook($0) } : nil
    }

    /// Results that the broker did not take in time.
    var dropped: Int { publications.dropped }

    var isEmpty: Bool { publications.isEmpty }

    mutating func add(_ due: PresentStates.Due, site: String) {
        guard let kind = due.kind.topic else { return }
        publications.add(
            Publication(
                topic: topics.topic(kind, site: site, item: due.item), payload: due.document,
                isRetained: true, contentType: "application/json",
                expirySeconds: Self.expirySeconds(of: due.kind)))
    }

    mutating func add(_ result: UncommittedResults.Released) {
        if let event = result.kind.event { webhook?.post(event, result.document) }
        publications.add(
            Publication(
                topic: topics.topic(result.kind, site: result.site, item: result.item),
                payload: result.document, contentType: "application/json"))
    }

    /// Adds the status again after some seconds: the broker may have lost the retained one.
    mutating func refreshStatus(_ state: ServerState, at now: Instant) {
        if let statusDue, now < statusDue { return }
        statusDue = now + Self.statusPause
        addStatus(state)
        // The only other time for these documents is the next connection.
        addDiscovery(of: state.sites.map(\.listed), where: refused.contains)
    }

    mutating func addStatus(_ state: ServerState, isOnline: Bool = true) {
        publications.add(
            Publication(
                topic: statusTopic,
                payload: ServerStatus(
                    isOnline: isOnline, session: state.session, isDurable: state.isDurable
                ).json.bytes, isRetained: true, contentType: "application/json"))
    }

    mutating func addDiscovery(
        of sites: [SiteLayout], where isWanted: (String) -> Bool = { _ in true }
    ) {
        for publication in homeAssistant?.publications(of: sites) ?? []
        where isWanted(publication.topic) {
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
        if configuration.webhook != webhook?.settings {
            webhook = configuration.webhook.map { Webhook($0) }
        }
        let kept = Set(retained(of: new))
        for topic in before where !kept.contains(topic) { remove(topic) }
        told = Dictionary(new.map { ($0.site, $0) }, uniquingKeysWith: { first, _ in first })
        addDiscovery(of: new)
    }

    /// Follows what people have changed of a site.
    mutating func follow(_ site: Site) {
        let listed = site.listed
        let before = told[listed.site] ?? site.layout
        guard listed != before else { return }
        let kept = Set(retained(of: [listed]))
        for topic in retained(of: [before]) where !kept.contains(topic) { remove(topic) }
        told[listed.site] = listed
        addDiscovery(of: [listed])
    }

    /// An empty retained message removes the one before (MQTT 5, section 3.3.1.3).
    private mutating func remove(_ topic: String) {
        publications.add(Publication(topic: topic, payload: [], isRetained: true))
    }

    private func retained(of sites: [SiteLayout]) -> [String] {
        sites.flatMap { site in
            PresentKind.all.flatMap { kind in
                kind.items(site).map {
                    topics.topic(kind.kind.topic ?? .now, site: site.site, item: $0)
                }
            }
        } + (homeAssistant?.publications(of: sites).map(\.topic) ?? [])
    }

    /// The connection begins.
    mutating func onConnection(_ state: ServerState) {
        refused.forget()
        addStatus(state)
        addDiscovery(of: state.sites.map(\.listed))
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
    mutating func send(to session: BrokerSession) -> [RefusedPublications.Refusal] {
        var refusals: [RefusedPublications.Refusal] = []
        var (token, refused) = (nextToken, refused)
        let kind = { [topics, statusTopic] in Self.kind(of: $0, topics, statusTopic) }
        publications.send { publication in
            guard session.takesPublications else { return false }
            token += 1
            do throws(PublishFailure) {
                try session.publish(publication, token: token)
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

    /// What the broker's access list has one rule for: of discovery documents, the level before their items.
    static func kind(
        of topic: String, _ topics: ResultTopics, _ statusTopic: String
    ) -> String {
        if topic == statusTopic { return "status" }
        if let kind = topics.parse(topic)?.kind { return kind.name }
        return topic.split(separator: "/").dropLast(2).last.map(String.init) ?? topic
    }
}

extension ServerStatus {
    init(isOnline: Bool, session: Session, isDurable: Bool?) {
        self.init(
            isOnline: isOnline, version: Version.current, session: session.description,
            isDurable: isDurable)
    }
}

/// The discovery documents of the items for Home Assistant.
struct DiscoveryPublisher {
    private let prefix: String
    private let topics: ResultTopics
    private let server: String

    /// `nil` without the section `homeAssistant`.
    init?(_ configuration: ServerConfiguration) {
        guard let settings = configuration.homeAssistant else { return nil }
        prefix = settings.discoveryPrefix
        topics = ResultTopics(root: configuration.resultsRoot)
        server = configuration.id
    }

    func publications(of sites: [SiteLayout]) -> [Publication] {
        sites.flatMap { site in
            PresentKind.all.flatMap { kind in
                kind.items(site).compactMap { publication(of: $0, kind.kind, at: site.site) }
            }
        }
    }

    private func publication(of item: String, _ kind: ResultKind, at site: String) -> Publication? {
        ResultDiscovery(
            kind, prefix: prefix, topics: topics, site: site, item: item, server: server,
            version: Version.current
        ).map {
            Publication(
                topic: $0.topic, payload: $0.encoded, isRetained: true,
                contentType: "application/json")
        }
    }
}

/// Results on their way to the broker.
///
/// A retained result replaces an older one of its topic. Others wait in order within a bound; beyond it the oldest go,
/// since the API still has them.
struct PublicationQueue {
    private var waiting: [Publication] = []
    private(set) var dropped = 0

    static let most = 2000

    mutating func add(_ publication: Publication) {
        if publication.isRetained,
            let index = waiting.firstIndex(where: { $0.topic == publication.topic })
        {
            waiting[index] = publication
            return
        }
        if waiting.count >= Self.most {
            waiting.removeFirst()
            dropped += 1
        }
        waiting.append(publication)
    }

    var isEmpty: Bool { waiting.isEmpty }

    /// Hands out publications, as long as `send` takes them.
    mutating func send(_ send: (Publication) -> Bool) {
        let count = waiting.prefix { send($0) }.count
        waiting.removeFirst(count)
    }
}

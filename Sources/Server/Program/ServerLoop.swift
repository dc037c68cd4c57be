import Contract
import Glibc
import HTTP
import JSON
import Logging
import MQTT
import Posix
import Primitives
import ServerConfiguration
import Store
import Subscriber

/// The loop of the server: it waits for the broker, browsers and signals, commits, and publishes.
final class ServerLoop {
    private let state: ServerState
    private var link: BrokerLink
    private let sites: SiteSource
    private let homeAssistant: DiscoveryPublisher?
    private let http: HTTPServer
    private let topics: ResultTopics
    private let statusTopic: String
    private let log: Log
    private let service: ServiceStatus
    private var ingest: Ingest
    private var publications = PublicationQueue()
    /// Results that wait for the commit of the windows that they follow from.
    private var uncommitted = UncommittedResults()
    private var keeper = StoreKeeper()
    private var commitDue: Instant?
    private var nextTick: Instant
    private var nextToken: UInt64 = 0
    /// Why the broker was last away; empty while it is connected. Each reason is logged once.
    private var loggedReason = ""

    /// Messages within this time are committed together.
    private static let commitInterval = Duration.milliseconds(100)
    /// A commit is due at once after so many messages: below the 20 that brokers have in flight by default.
    private static let commitMessages = 16
    /// After the end of a second, its windows need a moment to arrive.
    private static let tickOffsetMs: Int64 = 150

    init(
        _ state: ServerState, link: BrokerLink, http: HTTPServer,
        _ configuration: ServerConfiguration, sites: SiteSource, service: ServiceStatus, log: Log,
        at now: Instant
    ) {
        self.sites = sites
        homeAssistant = DiscoveryPublisher(configuration)
        self.state = state
        self.link = link
        self.http = http
        topics = ResultTopics(root: configuration.resultsRoot)
        statusTopic = topics.status(of: configuration.id)
        self.service = service
        self.log = log
        ingest = Ingest(root: configuration.topicRoot, log: log)
        nextTick = now
    }

    /// Runs until SIGTERM or SIGINT.
    func run(_ signals: Signals) throws(Errno) {
        while true {
            let due = [
                commitDue, nextTick, http.deadline, link.deadline(after: .now), service.deadline,
            ].compactMap(\.self).min()
            let interests =
                [Poll.Interest(signals.descriptor.rawValue), link.interest].compactMap(\.self)
                + http.interests
            let ready = try Poll.wait(for: interests, until: due)
            let now = Instant.now
            while !ready[signals.descriptor.rawValue].isEmpty, let signal = signals.next() {
                guard signal == SIGHUP else { return finish(at: now) }
                reload(at: now)
            }
            for event in link.service(ready[link.interest?.descriptor], at: now) {
                on(event, at: now)
            }
            if let commitDue, commitDue <= now { commit(at: now, withCounts: false) }
            if nextTick <= now { tick(at: now) }
            send()
            http.service(at: now)
            service.update(state, at: now)
        }
    }

    // MARK: Messages

    private func on(_ event: BrokerLink.Event, at now: Instant) {
        switch event {
        case .connected, .recovered:
            state.isConnected = true
            loggedReason = ""
            for site in state.sites { site.onConnection(true, at: now) }
            publishStatus()
            publishDiscovery()
            log.info("MQTT connected", ["broker": link.address])
        case .trouble(let reason): disconnected(reason, at: now)
        case .failed(let reason): disconnected(reason, at: now)
        case .message(let message):
            ingest.on(message, state, at: now)
            if link.unstored >= Self.commitMessages {
                commitDue = now
            } else if commitDue == nil {
                commitDue = now + Self.commitInterval
            }
        case .oversized(let topic, let bytes): ingest.onOversized(topic, bytes: bytes, state)
        case .subscribed, .acknowledged: break
        }
    }

    private func disconnected(_ reason: String, at now: Instant) {
        if state.isConnected {
            for site in state.sites { site.onConnection(false, at: now) }
        }
        state.isConnected = false
        service.brokerAttemptEnded()
        guard reason != loggedReason else { return }
        loggedReason = reason
        log.warning("MQTT connection lost; retrying", ["reason": reason])
    }

    // MARK: Results

    /// Stores the windows and results of the last turns, then releases the results.
    private func commit(at now: Instant, withCounts: Bool = true) {
        commitDue = nil
        var batch = ingest.takeBatch()
        uncommitted.add(to: &batch)
        batch.counts = state.counts.takeFresh(with: batch, isDue: withCounts)
        let outcome = batch.isEmpty ? .durable : state.store.commit(batch, at: now)
        setDurable(state.store.state.isDurable && outcome == .durable)
        if outcome == .refused { log.error("memory for results is full: results are lost") }
        state.loop.commits += 1
        // While the disk fails, messages are acknowledged from memory: the state is then not durable.
        link.acknowledge()
        for result in uncommitted.take() { publish(result) }
    }

    private func setDurable(_ isDurable: Bool) {
        guard isDurable != state.isDurable else { return }
        state.isDurable = isDurable
        if isDurable {
            log.info("results are stored again")
        } else {
            log.error(
                "results are not stored: continuing in memory, retrying",
                ["reason": state.store.state.reason ?? ""])
        }
        publishStatus()
        state.events.publish("server", state.server.bytes)
    }

    /// Folds to the present, and commits and publishes what has changed.
    private func tick(at now: Instant) {
        let wallMs = state.wallMs
        let rest = (wallMs - Self.tickOffsetMs) % 1000
        nextTick = now + .milliseconds(1000 - rest)
        for site in state.sites {
            let name = site.layout.site
            uncommitted.add(site.advance(through: wallMs / 1000), site: name)
            if site.today.isOver(atMs: wallMs) {
                uncommitted.add(site.closeDay(wallMs: wallMs), site: name)
                log.info("day closed", ["site": name, "next": site.today.day.name])
            }
            for gateway in site.tickGateways(at: now, wallMs: wallMs) {
                state.events.publish("gateway", gateway.bytes, topic: name)
            }
        }
        commit(at: now)
        keeper.tick(state.store, state.sites.map(\.today.day), wallMs: wallMs, log, at: now)
        for site in state.sites {
            for due in site.dueStates(isDurable: state.isDurable, at: now) {
                let name = site.layout.site
                state.events.publish("queue", due.document, topic: name)
                publications.add(
                    Publication(
                        topic: topics.topic(site: name, queue: due.queue), payload: due.document,
                        isRetained: true, contentType: "application/json"))
            }
        }
        state.loop.droppedPublications = publications.dropped
    }

    private func publish(_ result: UncommittedResults.Released) {
        if result.kind == .minutes {
            state.events.publish("minute", result.document, topic: result.site, scope: .read)
        }
        publications.add(
            Publication(
                topic: topics.topic(result.kind, site: result.site, queue: result.queue),
                payload: result.document, contentType: "application/json"))
    }

    private func publishStatus() {
        publications.add(
            Publication(
                topic: statusTopic,
                payload: ServerStatusMessage(
                    isOnline: true, session: state.session, isDurable: state.isDurable
                ).encoded, isRetained: true, contentType: "application/json"))
    }

    /// Hands results to the broker as far as it takes them.
    private func send() {
        publications.send { publication in
            guard link.takesPublications else { return false }
            nextToken += 1
            do throws(PublishFailure) {
                try link.publish(publication, token: nextToken)
                return true
            } catch {
                // A refused publication can't be sent later either.
                return error != .notConnected
            }
        }
    }

    private func publishDiscovery() {
        for publication in homeAssistant?.publications(of: state.sites.map(\.layout)) ?? [] {
            publications.add(publication)
        }
    }

    // MARK: Reload

    /// Reads the configuration again. Changed sites fold the day again; the others keep their state.
    private func reload(at now: Instant) {
        service.reloading()
        defer { service.reloaded() }
        // The store then has all windows of the day.
        commit(at: now)
        guard let change = sites.reload(keeping: state.sites, wallMs: state.wallMs, at: now) else {
            return
        }
        state.replace(change.sites)
        if let link = change.link {
            self.link.leave()
            self.link = link
            disconnected("the configuration has other sites", at: now)
        } else {
            for site in change.sites { site.onConnection(state.isConnected, at: now) }
            publishDiscovery()
        }
        log.info("configuration read again", ["sites": change.sites.count])
    }

    // MARK: End

    private func finish(at now: Instant) {
        log.info("ending")
        service.stopping()
        commit(at: now)
        publications.add(
            Publication(
                topic: statusTopic,
                payload: ServerStatusMessage(
                    isOnline: false, session: state.session, isDurable: state.isDurable
                ).encoded, isRetained: true, contentType: "application/json"))
        send()
        link.leave()
        state.store.close()
    }
}

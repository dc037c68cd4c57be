import Contract
import Glibc
import HTTP
import JSON
import Logging
import MQTT
import Posix
import Primitives
import ResultStore
import Results
import ServerConfiguration
import Session
import Subscriber

/// The loop of the server: it waits for the broker, browsers and signals, commits, and publishes.
///
/// At the start, it first folds the stored windows of the day, in steps. Browsers are served meanwhile; the broker keeps the
/// messages.
final class ServerLoop {
    let state: ServerState
    var link: BrokerSession
    let sites: ConfiguredSites
    let http: HTTPServer
    let log: Log
    let service: ServiceStatus
    private var ingest: Ingest
    var outlet: ResultOutlet
    private var folding: FoldingTurns
    private var keeper: DataKeeper
    /// Sites that are not yet where they were.
    var recoveries: Recoveries
    private var commitDue: Instant?
    private var nextTick: Instant
    private var briefConnections = BriefConnections()
    var isReloadDue = false

    /// Messages within this time are committed together.
    private static let commitInterval = Duration.milliseconds(100)
    /// After the end of a second, its windows need a moment to arrive.
    private static let tickOffset = Duration.milliseconds(150)
    /// The pauses before the broker sends messages again: the store has refused them, or there is no day for them yet.
    private static let refusalPause = Duration.seconds(10)
    private static let undecidedPause = Duration.seconds(2)

    init(
        _ state: ServerState, link: BrokerSession, http: HTTPServer,
        _ configuration: ServerConfiguration, sites: ConfiguredSites, recoveries: [DayRecovery],
        keys: DayKeys, service: ServiceStatus, log: Log, at now: Instant
    ) {
        keeper = DataKeeper(keys)
        self.sites = sites
        self.state = state
        self.link = link
        self.http = http
        self.recoveries = Recoveries(recoveries, store: state.store)
        state.show(startingPercent: 0)
        self.service = service
        self.log = log
        outlet = ResultOutlet(configuration)
        ingest = Ingest(
            root: configuration.topicRoot,
            results: ResultTopics(root: configuration.resultsRoot), log: log)
        folding = FoldingTurns(log: log)
        nextTick = now
    }

    /// Runs until SIGTERM or SIGINT.
    func run(_ signals: Signals) throws(Errno) {
        while true {
            let ready = try wait(signals)
            let now = Instant.now
            if state.followClock(log, at: now) {
                commit(at: now)
                recoverAgain(at: now)
            }
            // During a recovery, SIGHUP waits.
            while !ready[signals.descriptor.rawValue].isEmpty, let signal = signals.next() {
                guard signal == SIGHUP else { return finish(at: now) }
                isReloadDue = true
            }
            if recoveries.isDone {
                if isReloadDue { reload(at: now) }
                serve(ready[link.interest?.descriptor], at: now)
            } else {
                recover(at: now)
            }
            http.service(at: now)
            service.update(state, at: now)
        }
    }

    private func wait(_ signals: Signals) throws(Errno) -> Poll.Ready {
        let signal = Poll.Interest(signals.descriptor.rawValue)
        guard recoveries.isDone else {
            return try Poll.wait(for: [signal] + http.interests, until: .now)
        }
        let due = [
            commitDue, nextTick, http.deadline, link.deadline(after: .now), service.deadline,
            folding.isBehind ? .now : nil,
        ].compactMap(\.self).min()
        let interests = [signal, link.interest].compactMap(\.self)
        return try Poll.wait(for: interests + http.interests, until: due)
    }

    private func serve(_ ready: Poll.Events, at now: Instant) {
        for event in link.service(ready, at: now) { on(event, at: now) }
        if let undecided = ingest.takeUndecided() {
            link.interrupt(until: now + Self.undecidedPause)
            disconnected(
                "\(undecided.rawValue): the broker keeps the messages", at: now,
                isLogged: briefConnections.isNew(undecided, at: now))
        }
        for site in ingest.takeForeign() {
            link.unsubscribe(from: sites.filters(of: site))
            log.info("unsubscribed from a site without a configuration", ["site": site])
        }
        if link.awaitsAcknowledgement { commitDue = now }
        if let commitDue, commitDue <= now { commit(at: now, withCounts: false) }
        if nextTick <= now {
            tick(at: now)
        } else if folding.isBehind {
            folding.turn(state, isPartial: recoveries.isPartial)
        }
        for refusal in outlet.send(to: link) { logRefusal(refusal) }
    }

    // MARK: Recovery

    /// Folds a part of the stored day.
    private func recover(at now: Instant) {
        let wall = state.wall
        let (results, site) = recoveries.step(
            wall: wall, state.certainty, at: now)
        folding.uncommitted.add(results, site: site)
        if !folding.uncommitted.isEmpty { commit(at: now) }
        state.show(startingPercent: recoveries.percent(wall: wall))
    }

    // MARK: Messages

    private func on(_ event: BrokerSession.Event, at now: Instant) {
        switch event {
        case .connected(let abilities, _):
            noteRestrictions(of: abilities)
            state.show(disconnection: nil)
            briefConnections.began(at: now)
            for site in state.sites { site.onConnection(true, at: now) }
            outlet.onConnection(state)
        case .lost(let reason), .failed(let reason):
            briefConnections.ended(at: now)
            disconnected(reason, at: now)
        case .message(let message):
            ingest.on(message, state, at: now)
            commitDue = commitDue ?? now + Self.commitInterval
        case .oversized(let topic, let bytes): ingest.onOversized(topic, bytes: bytes, state)
        case .acknowledged(let token, let reason):
            if let refusal = outlet.answered(token, reason) { logRefusal(refusal) }
        case .subscribed:
            // A broker that has lost its session delivers nothing before.
            log.info("MQTT connected", ["broker": link.address])
        case .retains:
            if let abilities = link.abilities { noteRestrictions(of: abilities) }
            outlet.onConnection(state)
        case .subscription, .ended, .switched: break
        }
    }

    private func noteRestrictions(of abilities: BrokerAbilities) {
        let faults = abilities.restrictions(for: ConfiguredSites.durableReading).map {
            "The \($0)."
        }
        for fault in faults where !state.reported.broker.contains(fault) {
            log.warning(fault, ["broker": link.address])
        }
        state.reported.broker = faults
    }

    private func logRefusal(_ refusal: RefusedPublications.Refusal) {
        log.error(
            "broker refused a publication: \(RefusedPublications.remedy(refusal.reason))",
            ["topic": refusal.topic, "reason": refusal.reason])
    }

    func disconnected(_ reason: String, at now: Instant, isLogged: Bool = true) {
        if state.isConnected {
            for site in state.sites { site.onConnection(false, at: now) }
        }
        let isNew = briefConnections.isNew(reason)
        state.show(disconnection: reason)
        briefConnections.interrupted()
        service.brokerAttemptEnded()
        guard isNew, isLogged else { return }
        log.warning("MQTT connection lost; retrying", ["reason": reason])
    }

    // MARK: Results

    /// Stores the windows and results of the last turns, then acknowledges the messages and releases the results.
    func commit(at now: Instant, withCounts: Bool = true) {
        commitDue = nil
        var batch = ingest.takeBatch()
        folding.add(to: &batch, editsOf: state.sites)
        batch.counts = state.counts.takeFresh(with: batch, isDue: withCounts)
        let outcome = batch.isEmpty ? .durable : state.store.commit(batch, at: now)
        setDurable(state.store.state.isDurable && outcome == .durable)
        state.loop.commits += 1
        guard outcome != .refused else { return refused(batch, at: now) }
        link.acknowledge()
        if withCounts, outcome == .durable { folding.release(state) }
        for result in folding.uncommitted.take() {
            if let event = result.kind.event {
                state.events.publish(event, result.document, topic: result.site, scope: .read)
            }
            outlet.add(result)
        }
    }

    /// Leaves messages to the broker that a kill would lose. The results wait.
    private func refused(_ batch: StoreBatch, at now: Instant) {
        ingest.restore(batch)
        state.counts.restore(batch.counts)
        state.loop.refusedCommits += 1
        guard link.unstored > 0 else { return }
        link.interrupt(until: now + Self.refusalPause)
        let reason = state.store.state.reason ?? "it is full"
        disconnected("the store takes no messages, the broker keeps them: \(reason)", at: now)
    }

    private func setDurable(_ isDurable: Bool) {
        guard isDurable != state.isDurable else { return }
        state.isDurable = isDurable
        if isDurable {
            log.info("results are stored again")
        } else {
            log.error(
                "results are not stored: retrying",
                ["reason": state.store.state.reason ?? ""])
        }
        outlet.addStatus(state)
        state.events.publish("server", state.server.bytes)
    }

    /// Folds to the present, and commits and publishes what has changed.
    private func tick(at now: Instant) {
        let wall = state.wall
        let rest = (wall - Self.tickOffset).milliseconds % 1000
        nextTick = now + .milliseconds(1000 - rest)
        folding.tick(state, isPartial: recoveries.isPartial)
        for site in state.sites {
            for gateway in site.tickGateways(at: now, wall: wall) {
                state.events.publish(
                    "gateway", gateway.json(for: .read).bytes, topic: site.layout.site,
                    scope: .read, reduced: gateway.json(for: .public).bytes)
            }
        }
        commit(at: now)
        state.publishTruth()
        keeper.tick(state, wall: state.certainty == .certain ? wall : nil, log, at: now)
        for site in state.sites {
            outlet.follow(site)
            for due in site.dueStates(isDurable: state.isDurable, at: now) {
                state.events.publish(
                    due.kind.name, due.document, topic: site.layout.site, scope: due.scope)
                outlet.add(due, site: site.layout.site)
            }
        }
        if link.triesRetaining(at: now) { outlet.addStatus(state) }
        outlet.refreshStatus(state, at: now)
        state.loop.droppedPublications = outlet.dropped
        state.loop.refusedPublications = outlet.refused.count
        state.loop.sentEvents = outlet.webhook?.sent ?? 0
        state.loop.lostEvents = outlet.webhook?.lost ?? 0
        let fault = outlet.webhook?.fault
        if state.reported.note(webhook: fault), let fault { log.warning(fault) }
        state.reported.refusal = outlet.refused.fault
        state.reported.connection = briefConnections.fault(sites.rivalHints.suspicion, at: now)
        reportUnheardGateways(at: now)
        if recoveries.isPartial, state.isDurable { recoverAgain(at: now) }
    }

    private func reportUnheardGateways(at now: Instant) {
        let sentences = state.sites.flatMap { $0.unheardGateways(at: now) }
        // While the broker is away, nothing is known; afterwards, the log has no sentence twice.
        guard state.isConnected, sentences != state.reported.gateways else { return }
        for sentence in state.reported.note(gateways: sentences) { log.warning(sentence) }
    }

    // MARK: End

    private func finish(at now: Instant) {
        log.info("ending")
        service.stopping()
        commit(at: now)
        outlet.addStatus(state, isOnline: false)
        _ = outlet.send(to: link)
        // Without DISCONNECT, the broker publishes the will, which says the same as a status that still waits.
        if outlet.isEmpty { link.leave() }
        state.store.close()
    }
}

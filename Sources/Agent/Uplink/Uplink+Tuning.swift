import Contract
import MQTT
import Posix
import Primitives

/// The way in: the layers' documents, from the broker to the radio thread and the disk, and what is reported of them.
extension Uplink {
    /// What is asked for at each connection, before a word is said.
    func subscribe() {
        // Before our status takes the place of what stands there.
        var filters = settings.looksForRivals ? [settings.topics.topic(.status)] : []
        if reconciler != nil {
            reconciler?.connected()
            filters += Topics.Layer.allCases.map(settings.topics.desired)
        }
        subscribe(to: filters)
        subscribeToDiscovery()
    }

    /// Asks for messages; `false` where the broker can't be asked.
    @discardableResult
    func subscribe(to filters: [String]) -> Bool {
        do throws(PublishFailure) {
            try connection?.subscribe(to: filters)
            return true
        } catch {
            // A connection that is gone says so itself when it is served next.
            guard case .refused(let code) = error else { return false }
            log.error("the gateway's topics can't be subscribed to", ["reason": code])
            return false
        }
    }

    /// The broker has answered: what it holds there is here, or on its way.
    func answeredSubscription(to filter: String, _ code: ReasonCode) {
        if filter == settings.home?.topic { isDiscoveryAwaited = false }
        if code.isFailure { refusedSubscription(to: filter, code) }
    }

    private func refusedSubscription(to filter: String, _ code: ReasonCode) {
        guard filter != settings.home?.topic else {
            log.warning(
                "the broker does not show us what Home Assistant was told before: trackers that are chosen no more stay",
                ["topic": filter, "reason": code])
            return
        }
        guard filter != settings.topics.topic(.status) else {
            log.debug(
                "the broker does not show us our own status: nobody else is seen there",
                ["topic": filter, "reason": code])
            return
        }
        log.error(
            "the broker refused a subscription: this layer can't be set",
            ["topic": filter, "reason": code])
    }

    func received(_ message: Message, at now: Instant) {
        if message.topic == settings.topics.topic(.status) { return heardOfOurselves(message) }
        if message.topic == settings.home?.topic { return heardDiscovery(message) }
        guard let layer = settings.topics.layer(of: message.topic) else { return }
        reconciler?.on(message.payload, of: layer, at: now)
    }

    func receivedOversized(_ topic: String, bytes: Int) {
        guard let layer = settings.topics.layer(of: topic) else { return }
        reconciler?.onOversized(layer, bytes: bytes)
    }

    /// Does what has fallen due with the layers, and says what has changed.
    func tune(at now: Instant) {
        // Who is leaving changes nothing any more, but still says how things were left.
        if !isStopping { carryOut(reconciler?.tick(at: now) ?? [], at: now) }
        guard reconciler?.isReportDue == true, !isReporting, canAnnounce,
            let report = reconciler?.takeReport(session: settings.session.description)
        else { return }
        log(report.errors)
        isReporting = true
        publish(
            Publication(
                topic: settings.topics.topic(.reported), payload: report.encoded,
                isRetained: true, contentType: "application/json"),
            token: Self.reportToken)
    }

    /// Logs what is not taken, once; what the controller refuses is the receiver's to log.
    private func log(_ errors: [LayerFault]) {
        let mine = errors.filter { $0.fault.code != .controllerRefused }
        let news = mine.filter { !loggedErrors.contains($0) }
        loggedErrors = mine
        guard let first = news.first else { return }
        guard let layer = first.layer else {
            return log.warning(
                "what the configuration says makes no sense with the layers: it waits",
                ["path": first.fault.pointer, "reason": first.fault.message])
        }
        log.warning(
            "a document is not taken",
            [
                "layer": layer.rawValue, "version": first.version ?? 0,
                "path": first.fault.pointer, "reason": first.fault.message, "faults": news.count,
            ])
    }

    func carryOut(_ actions: [SettingsReconciler.Action], at now: Instant) {
        for action in actions {
            switch action {
            case .order(let order): orders.post(order)
            case .persist(let layers): save(layers, at: now)
            }
        }
    }

    private func save(_ layers: Layers, at now: Instant) {
        guard let store = settings.store else {
            reconciler?.persisted(false, at: now)
            return
        }
        do throws(Errno) {
            try store.save(layers)
            reconciler?.persisted(true, at: now)
            hasToldOfDisk = false
        } catch {
            reconciler?.persisted(false, at: now)
            if !hasToldOfDisk {
                log.error(
                    "the layers can't be saved: they hold until the agent ends",
                    ["file": store.path, "reason": error])
            }
            hasToldOfDisk = true
        }
    }
}

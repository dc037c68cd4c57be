import Primitives
import Session

extension ServerLoop {
    /// Reads the configuration again. Changed sites fold the day again; the others keep their state.
    func reload(at now: Instant) {
        isReloadDue = false
        service.reloading()
        defer { service.reloaded() }
        // The store then has all windows of the day.
        commit(at: now)
        let old = state.sites.map(\.listed)
        guard
            let change = sites.reload(
                keeping: state.sites, wall: state.wall, state.certainty)
        else { return }
        http.policy = change.policy
        for one in change.recoveries {
            state.site(named: one.site.layout.site).map {
                one.site.inheritMeasurements(of: $0, wall: state.wall)
                one.site.inheritInventory(of: $0, wall: state.wall)
            }
        }
        state.replace(change.sites)
        // Sites that keep their state may lack stored windows.
        recoveries = Recoveries(
            change.recoveries, store: state.store, isPartial: recoveries.isPartial)
        // Sent on the next connection: the broker can lose the last messages of one that ends with unread input.
        outlet.use(change.configuration, from: old, to: state.sites.map(\.listed))
        if let reason = change.interruption {
            connectAgain(with: change.link, at: now)
            disconnected(reason, at: now)
        }
        log.info(
            "configuration read again",
            [
                "sites": change.sites.count,
                "changed": change.applied.isEmpty
                    ? "nothing" : change.applied.joined(separator: ", "),
            ])
    }

    private func connectAgain(with new: BrokerSession?, at now: Instant) {
        if let new, new.address != link.address {
            // The broker that is left keeps this state.
            var farewell = ResultOutlet(sites.configuration, posts: false)
            farewell.addStatus(state, isOnline: false)
            _ = farewell.send(to: link)
        }
        link.leave()
        link.interrupt(until: now)
        if let new { link = new }
    }

    /// The sites fold the windows of the store, and those that came since.
    func recoverAgain(at now: Instant) {
        let again = sites.recoveries(wall: state.wall, state.certainty)
        // The broker does not send the gateways' states again.
        for one in again {
            state.site(named: one.site.layout.site).map {
                one.site.inherit($0, wall: state.wall)
            }
        }
        state.replace(again.map(\.site))
        recoveries = Recoveries(again, store: state.store)
        state.show(startingPercent: recoveries.percent(wall: state.wall))
        log.info("the windows of the store are folded again")
    }
}

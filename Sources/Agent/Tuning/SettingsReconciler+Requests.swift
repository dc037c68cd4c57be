import Contract
import JSON
import Primitives
import Radio

/// What the radio is told, and what becomes of it when it is refused.
extension SettingsReconciler {
    mutating func scheduleOrder(at now: Instant) {
        guard attempt == nil, accepted != inForce else {
            orderDue = nil
            return
        }
        let free = lastOrder?.advanced(byMicroseconds: Self.orderInterval) ?? now
        orderDue = orderDue ?? max(free, now.advanced(byMicroseconds: Self.gatheringTime))
    }

    mutating func order(at now: Instant) -> ApplyRequest? {
        guard attempt == nil, accepted != inForce,
            let wanted = try? accepted.settings()
        else { return nil }
        // Without a controller, only what it has no part in can be changed; the rest waits until it is there.
        guard standing.isReady || !Self.concernsController(wanted, settings) else {
            hasNews = true
            return nil
        }
        lastID &+= 1
        lastOrder = now
        attempt = Attempt(
            id: lastID, stack: accepted, settings: wanted,
            deadline: now.advanced(byMicroseconds: Self.answerTime))
        return ApplyRequest(id: lastID, settings: wanted)
    }

    private static func concernsController(_ one: GatewaySettings, _ other: GatewaySettings) -> Bool
    {
        DesiredAdvertising(one.advertise) != DesiredAdvertising(other.advertise)
    }

    /// What was tried goes; what was accepted after it is looked at anew.
    mutating func refused(_ tried: LayerStack, _ refusal: AdvertisingRefusal) {
        let later = accepted.differences(from: tried)
        let blamed = tried.differences(from: inForce).filter { !later.contains($0) }
            .map { Wish(layer: $0, document: tried[$0]) }
        held.removeAll { later.contains($0.layer) }
        held.insert(
            contentsOf: later.map { Wish(layer: $0, document: accepted[$0]) }, at: 0)
        accepted = inForce
        if blamed.count > 1 {
            trial = (refusal, blamed)
        } else {
            blamed.forEach { blame($0, refusal) }
        }
    }

    /// Accepts the next of those that are tried one by one; when there is none, goes on as usual.
    mutating func tryNext() {
        while let (reason, queue) = trial, accepted == inForce {
            guard let wish = queue.first else {
                trial = nil
                break
            }
            trial?.queue.removeFirst()
            if faults(of: [wish]).isEmpty {
                accepted[wish.layer] = wish.document
            } else {
                blame(wish, reason)
            }
        }
        settle()
    }

    private mutating func blame(_ wish: Wish, _ refusal: AdvertisingRefusal) {
        let place = JSONPointer.root.appending("advertise")
        let pointer = refusal.concernsInterval ? place.appending("intervalMs") : place
        refusedWishes.append(wish)
        faults[wish.layer] = [
            LayerFault(
                layer: wish.layer, version: wish.version,
                fault: Fault(pointer, .controllerRefused, refusal.sentence))
        ]
    }
}

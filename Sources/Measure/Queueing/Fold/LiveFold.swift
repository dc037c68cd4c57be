import Facts
import Primitives

/// The live results: two copies of the final fold that run ahead to the present.
///
/// Holes stop the final fold for as long as a message may come late. The copies pass holes by force: such a second is
/// unknown to them. When a message comes for a second that a copy has passed, the copy is made again from the slower one:
///
///     final ─▶ recent (30 s ago) ─▶ present
///
/// A message of the last half minute costs half a minute of seconds at most. An older one costs more, and is paced.
struct LiveFold {
    private var recent = AheadFold(pace: .seconds(30))
    private var present = AheadFold(pace: .seconds(1), isPresent: true)
    private var offline = OfflineTimes()

    /// The time from the end of a window with a beacon to its arrival is shorter.
    private static let delivery = Duration.seconds(2)
    /// The copy `recent` runs so long behind the present.
    private static let recentLag = Duration.seconds(30)

    /// The fold at the present; `nil` before the first call of `advance`, and while the final fold is ahead of the copies.
    var fold: QueueFold? { present.fold }

    /// Whether the last call of `advance` has left seconds to the next one.
    var isBehind: Bool { recent.isBehind || present.isBehind }

    /// The memory of the windows that the copies have not folded, in bytes.
    var pendingBytes: Int { recent.pendingBytes + present.pendingBytes }

    /// Gives up windows that start before `time`, where they have more than `bytes`.
    mutating func release(before time: UnixTime, ifAbove bytes: Int) {
        recent.release(before: time, ifAbove: bytes)
        present.release(before: time, ifAbove: bytes)
    }

    /// The starts of released windows without which a copy can't go on.
    var wanted: [Range<UnixTime>] { recent.wanted + present.wanted }

    /// Takes back released windows: all that the owner has in `span`.
    mutating func restore(
        _ windows: [(gateway: Int, window: WindowFact)], in span: Range<UnixTime>
    ) {
        recent.restore(windows, in: span)
        present.restore(windows, in: span)
    }

    mutating func take(_ window: WindowFact, from gateway: Int) {
        recent.take(window, from: gateway)
        present.take(window, from: gateway)
    }

    mutating func take(_ receipt: Receipt, queue: String) {
        recent.take(receipt, queue: queue)
        present.take(receipt, queue: queue)
    }

    /// - Parameters:
    ///   - second: of the caller's clock.
    ///   - gateways: those that are offline.
    ///   - limit: the time that each copy folds at most.
    mutating func advance(
        through second: UnixSecond, offline gateways: Set<Int> = [], atMost limit: Duration?,
        from final: QueueFold
    ) {
        let now = second.start
        guard second > 0 + Self.recentLag else { return }
        offline.on(gateways, from: second - Self.delivery)
        if let next = final.next { offline.forget(before: next) }
        let isNew = recent.advance(
            settling: now - Self.recentLag, at: second, atMost: limit, offline, from: final,
            closed: [])
        guard let slower = recent.fold else {
            present = AheadFold(pace: .seconds(1), isPresent: true)
            return
        }
        if isNew { present.restart(at: second, from: slower, closed: recent.closed) }
        _ = present.advance(
            settling: now - Self.delivery, at: second, atMost: limit, offline, from: slower,
            closed: recent.closed)
        recent.forget(closedBy: final)
        present.forget(closedBy: final)
    }

    /// The minutes that are not final, by present knowledge.
    var provisional: [QueuePeriod] { fold?.provisional(after: present.closed) ?? [] }
}

/// The seconds of which a gateway sends no message in time, since the broker reports that it is offline.
///
/// They follow from the moments in which the reports come, and so they are no facts: the final fold never has any.
struct OfflineTimes {
    /// By gateway, in ascending order. The last one ends `never` while the gateway is offline.
    private var times: [Int: [Range<UnixSecond>]] = [:]

    /// Notes which gateways are offline. The seconds before `second` have passed.
    mutating func on(_ offline: Set<Int>, from second: UnixSecond) {
        for (gateway, ranges) in times where !offline.contains(gateway) {
            guard let last = ranges.last, last.upperBound == .never else { continue }
            // The caller's clock may have been set back.
            let end = max(last.lowerBound, second)
            times[gateway]?[ranges.count - 1] = last.lowerBound..<end
        }
        for gateway in offline where times[gateway]?.last?.upperBound != .never {
            times[gateway, default: []].append(second..<UnixSecond.never)
        }
    }

    func contains(_ second: UnixSecond, of gateway: Int) -> Bool {
        times[gateway]?.contains { $0.contains(second) } ?? false
    }

    /// Forgets the times before `second`.
    mutating func forget(before second: UnixSecond) {
        for gateway in times.keys { times[gateway]?.removeAll { $0.upperBound <= second } }
    }
}

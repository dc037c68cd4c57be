/// The seconds of which a gateway sends no message in time, since the broker reports that it is offline.
///
/// They follow from the moments in which the reports come, and so they are no facts: the final fold never has any.
package struct OfflineTimes {
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

    package func contains(_ second: UnixSecond, of gateway: Int) -> Bool {
        times[gateway]?.contains { $0.contains(second) } ?? false
    }

    /// Forgets the times before `second`.
    mutating func forget(before second: UnixSecond) {
        for gateway in times.keys { times[gateway]?.removeAll { $0.upperBound <= second } }
    }
}

import Facts

/// The strip of a time that is over, from its windows in the order of their starts. Seconds in which the gateway was learning
/// count as heard.
package struct PastStrip {
    package private(set) var strip: GatewayStrip
    private var timeline = GatewayTimeline()
    private var next: UnixSecond

    /// - Parameter second: the first one.
    package init(gateway: String, from second: UnixSecond) {
        strip = GatewayStrip(gateway: gateway)
        next = second
    }

    package mutating func take(_ window: WindowFact) { _ = timeline.take(window) }

    /// Adds the seconds before `end`: all windows that start there are taken.
    package mutating func advance(to end: UnixSecond) {
        _ = timeline.settle(upTo: .max)
        while next < end {
            strip.add(GatewayStrip.State(timeline.second(next)), next..<next.next)
            next = next.next
        }
    }
}

import Facts

/// The states of a gateway over time, as runs of equal states: the strip beneath a chart.
package struct GatewayStrip: Equatable, Sendable {
    /// The state of a gateway in a second.
    package enum State: String, CaseIterable, Sendable {
        /// It heard a tag.
        case heard
        /// It was listening, and heard no tag.
        case empty
        case learning, deaf, lost, unknown

        /// Whether silence is absence.
        var isHearing: Bool { self == .heard || self == .empty }

        init(_ second: GatewaySecond) {
            if second.isHeard {
                self = second.levels.isEmpty ? .empty : .heard
            } else if second.isListening {
                self = .learning
            } else {
                let states: [(Duration, State)] = [
                    (second.unknown, .unknown), (second.lost, .lost), (second.deaf, .deaf),
                ]
                self = states.max { $0.0 < $1.0 }?.1 ?? .unknown
            }
        }
    }

    /// Seconds in which the state was the same.
    package struct Run: Equatable, Sendable {
        package fileprivate(set) var seconds: Range<UnixSecond>
        package let state: State
    }

    package let gateway: String
    /// In ascending order, without holes.
    package private(set) var runs: [Run] = []
    /// The last run in which the gateway did not hear. A short interruption counts only once it is over.
    private(set) var lastFault: Run?
    private(set) var lastHearing: UnixSecond?
    /// Whether the gateway was offline in the last second, as far as a live fold knows.
    var isOffline = false

    /// The oldest runs beyond this are forgotten.
    private static let mostRuns = 10_000

    init(gateway: String) { self.gateway = gateway }

    mutating func add(_ state: State, _ seconds: Range<UnixSecond>) {
        if let last = runs.last, last.state == state, last.seconds.upperBound == seconds.lowerBound
        {
            runs[runs.count - 1].seconds = last.seconds.lowerBound..<seconds.upperBound
        } else {
            if let last = runs.last, !last.state.isHearing { lastFault = last }
            runs.append(Run(seconds: seconds, state: state))
            // Each removal moves all runs, so it waits for many.
            if runs.count > 2 * Self.mostRuns { runs.removeFirst(Self.mostRuns) }
        }
        if state.isHearing { lastHearing = seconds.last }
        if let second = seconds.last, !isHearing(at: second) { lastFault = runs.last }
    }

    /// Whether the gateway hears, apart from short interruptions.
    func isHearing(at second: UnixSecond) -> Bool {
        guard let lastHearing, let state = runs.last?.state else { return false }
        return second - lastHearing <= tolerance(of: state)
    }

    /// A shorter interruption by a gateway's own report changes nothing.
    private static let shortFault = Duration.seconds(4)

    /// How long a gateway in this state still counts as hearing.
    private func tolerance(of state: State) -> Duration {
        switch state {
        case .heard, .empty, .learning: .zero
        case .deaf, .lost: Self.shortFault
        case .unknown: isOffline ? .zero : AwaitedMessages.longest
        }
    }
}

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

/// How long a gateway was in each state in a period.
package struct GatewayTime: Equatable, Sendable {
    package let gateway: String
    private var times: [GatewaySecond.State: Duration] = [:]

    init(gateway: String) { self.gateway = gateway }

    /// Adds several equal seconds.
    mutating func add(_ second: GatewaySecond, count: Int = 1) {
        for state in GatewaySecond.State.allCases {
            let time = second.time(in: state) * count
            if time > .zero { times[state, default: .zero] += time }
        }
    }

    package var heard: Duration { times[.heard] ?? .zero }

    /// The states other than heard, with their times.
    package var reasons: [(state: GatewaySecond.State, time: Duration)] {
        GatewaySecond.State.allCases.compactMap { state in
            state == .heard ? nil : times[state].map { (state, $0) }
        }
    }
}

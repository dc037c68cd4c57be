import Facts

/// How long a gateway was in each state in a period.
package struct GatewayTime: Equatable, Sendable {
    package let gateway: String
    private var times: [GatewaySecond.State: Duration] = [:]

    init(gateway: String) { self.gateway = gateway }

    /// Adds so many equal seconds.
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

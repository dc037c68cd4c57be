/// How many milliseconds of a period a gateway was in each state.
package struct GatewayTime: Equatable, Sendable {
    package let gateway: String
    private var milliseconds: [GatewaySecond.State: Int] = [:]

    init(gateway: String) { self.gateway = gateway }

    mutating func add(_ second: GatewaySecond) {
        for state in GatewaySecond.State.allCases { add(ms: second.milliseconds(state), state) }
    }

    mutating func add(ms: Int, _ state: GatewaySecond.State) {
        if ms > 0 { milliseconds[state, default: 0] += ms }
    }

    package var heardMs: Int { milliseconds[.heard] ?? 0 }

    /// The states other than heard, with their milliseconds.
    package var reasons: [(state: GatewaySecond.State, ms: Int)] {
        GatewaySecond.State.allCases.compactMap { state in
            state == .heard ? nil : milliseconds[state].map { (state, $0) }
        }
    }
}

/// How many milliseconds of a period a gateway was in each state.
package struct GatewayTime: Equatable, Sendable {
    package let gateway: String
    package private(set) var heardMs = 0
    package private(set) var deafMs = 0
    package private(set) var lostMs = 0
    package private(set) var unknownMs = 0

    init(gateway: String) { self.gateway = gateway }

    mutating func add(_ second: GatewaySecond) {
        heardMs += second.heardMs
        deafMs += second.deafMs
        lostMs += second.lostMs
        unknownMs += second.unknownMs
    }

    mutating func addUnknown(ms: Int) { unknownMs += ms }

    /// The states other than heard, with their milliseconds.
    package var reasons: [(state: GatewaySecond.State, ms: Int)] {
        [(.deaf, deafMs), (.lost, lostMs), (.unknown, unknownMs)].filter { $0.ms > 0 }
    }
}

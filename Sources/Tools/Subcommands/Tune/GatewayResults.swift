import Subscriber

/// The results of all gateways that a rollout concerns.
struct GatewayResults {
    private(set) var latest: [GatewayName: GatewayResult] = [:]
    /// The number of gateways without a final result.
    private(set) var pending = 0
    private var announced: [GatewayName: GatewayResult] = [:]

    /// Replaces a gateway's result; returns `true` if the new one is final and differs from the announced one.
    mutating func update(_ name: GatewayName, to result: GatewayResult?) -> Bool {
        let before = latest[name]
        latest[name] = result
        pending += (result?.isFinal == false ? 1 : 0) - (before?.isFinal == false ? 1 : 0)
        // A change of `isOffline` or of the remarks is not announced.
        guard let result, result.isFinal, !result.isSameAnswer(as: announced[name]) else {
            return false
        }
        announced[name] = result
        return true
    }
}

/// How long a gateway has been learning its close level. Until it is learnt, levels say nothing.
struct LearningTime {
    /// Seconds of listening that are still needed.
    private(set) var rest: Int64
    /// A gateway that never heard a tag has nothing to learn: its line is empty.
    private var hasBegun = false

    init(seconds: Int64) { rest = seconds }

    /// Marks a second in which the gateway is learning.
    mutating func on(_ second: inout GatewaySecond) {
        hasBegun = hasBegun || !second.levels.isEmpty
        guard hasBegun, rest > 0, second.isHeard else { return }
        rest -= 1
        second.markAsLearning()
    }
}

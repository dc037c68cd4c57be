import Facts

/// How long a gateway still learns its close level: a time of listening since its first tag. Until it is over, levels say nothing.
struct LearningTime {
    /// The time of listening that is still needed.
    private(set) var rest: Duration
    /// Learning begins with the first tag: before it, the line is empty.
    private var hasBegun = false

    init(_ time: Duration) { rest = time }

    /// Marks a second in which the gateway is learning.
    mutating func on(_ second: inout GatewaySecond) {
        hasBegun = hasBegun || !second.levels.isEmpty
        guard hasBegun, rest > .zero, second.isHeard else { return }
        rest -= .seconds(1)
        second.markAsLearning()
    }
}

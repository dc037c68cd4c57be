import Facts

/// The seconds in which a queue was not known, and those in which a person may have joined or left unseen.
struct KnowledgeGaps {
    /// The latest stretches of seconds in which a role did not hear, the last one last.
    private(set) var stretches: [Range<UnixSecond>] = []
    /// The latest stretch of which no message is awaited.
    private(set) var missed: Range<UnixSecond>?
    /// The latest stretch that was long enough to hide a person.
    private var unseen: Range<UnixSecond>?
    /// The second before the first one: people may be in line already.
    private let beginning: Range<UnixSecond>?

    init(from first: UnixSecond? = nil) {
        beginning = first.map { $0.advanced(by: -1)..<$0 }
    }

    /// The latest seconds in which a person who is near now may have joined unseen.
    var hiding: Range<UnixSecond>? { unseen ?? beginning }

    /// A shorter interruption hides no person. Chosen.
    private static let leastUnseen = Duration.seconds(3)

    /// The latest stretch of seconds in which a role did not hear.
    var unknown: Range<UnixSecond>? { stretches.last }

    /// The stretch that ends with the second before this one.
    func unknown(before second: UnixSecond) -> Range<UnixSecond>? {
        stretches.last { $0.upperBound == second }
    }

    /// - Parameter isAwaited: whether a message about the seconds may still come.
    mutating func add(unknown seconds: Range<UnixSecond>, isAwaited: Bool = false) {
        let stretch = Self.extend(unknown, with: seconds)
        if stretch != seconds { stretches.removeLast() }
        stretches.append(stretch)
        // The edges of a second are scored later, and a departure is dated back to when its tag was last heard, a minute at most.
        let oldest =
            seconds.lowerBound.advanced(by: -LevelHistory.reach - TagRegistry.goneAfter)
            - EdgeDate.after
        stretches.removeAll { $0.upperBound < oldest }
        guard !isAwaited else { return }
        missed = stretch
        if stretch.duration >= Self.leastUnseen { unseen = stretch }
    }

    /// Adds seconds that hide people, whatever the gateways heard.
    mutating func add(unseen seconds: Range<UnixSecond>) {
        unseen = Self.extend(unseen, with: seconds)
    }

    /// Whether a person may join in a second unseen, or may have done so just before.
    func isUnseen(at second: UnixSecond) -> Bool {
        unseen.map { second - $0.upperBound < QueueCondition.recovery } ?? false
    }

    /// Some seconds, and those before them without a hole.
    private static func extend(
        _ before: Range<UnixSecond>?, with seconds: Range<UnixSecond>
    ) -> Range<UnixSecond> {
        guard let before, before.upperBound == seconds.lowerBound else { return seconds }
        return before.lowerBound..<seconds.upperBound
    }
}

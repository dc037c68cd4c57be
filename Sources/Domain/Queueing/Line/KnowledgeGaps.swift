/// The seconds in which a queue was not known, and those in which a person may have joined or left unseen.
struct KnowledgeGaps {
    /// The latest stretch of seconds in which a role did not hear.
    private(set) var unknown: Range<UnixSecond>?
    /// The latest stretch that was long enough to hide a person.
    private(set) var unseen: Range<UnixSecond>?

    /// A shorter interruption hides no person.
    private static let leastUnseen = Duration.seconds(3)

    mutating func add(unknown seconds: Range<UnixSecond>) {
        let stretch = Self.extend(unknown, with: seconds)
        unknown = stretch
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

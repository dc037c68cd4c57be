import Sightings

/// Notices a sender that advertises unusually many identities. It warns once, until an interval without such a sender.
struct SenderAlarm {
    /// The most identities of one sender in a window of this interval; `nil` if that is usual.
    private(set) var peak: Int?
    private var hasWarned = false

    /// - Returns: the number of identities to warn of.
    mutating func on(_ counts: RadioCounts?) -> Int? {
        guard let identities = counts?.identitiesPerSender, identities > 0 else { return nil }
        peak = max(peak ?? 0, identities)
        defer { hasWarned = true }
        return hasWarned ? nil : identities
    }

    mutating func beginInterval() {
        if peak == nil { hasWarned = false }
        peak = nil
    }
}

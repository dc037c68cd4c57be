import Primitives

/// The sessions of a gateway, within a bound.
///
/// A session of which all windows are folded goes first: a repetition of them is late, and changes nothing. Where that is
/// not enough, a message of a further session is not taken.
struct SessionLedgers {
    private struct Entry {
        var ledger = SessionLedger()
        /// The end of its newest window.
        var newest = UnixTime.min
    }

    private var entries: [String: Entry] = [:]
    /// The end of the folded time at the last removal.
    private var cleanedThrough: UnixTime?

    /// A gateway that restarts every five seconds has fewer in a day. A server that has restarted reads a whole day.
    static let most = 20_000

    subscript(session: String) -> SessionLedger? { entries[session]?.ledger }

    /// The same name in the memory of its first window.
    func name(_ session: String) -> String {
        entries.index(forKey: session).map { entries.keys[$0] } ?? session
    }

    /// Whether the message was taken before.
    func contains(_ window: WindowFact) -> Bool {
        entries[window.session]?.ledger.contains(window) ?? false
    }

    /// Takes a new message.
    ///
    /// - Parameter foldedThrough: windows that end by then are folded.
    /// - Returns: `false` if it is of one session too many.
    mutating func take(_ window: WindowFact, foldedThrough: UnixTime) -> Bool {
        if entries[window.session] == nil, entries.count >= Self.most {
            // Nothing else can have become folded since then.
            if cleanedThrough != foldedThrough {
                cleanedThrough = foldedThrough
                entries = entries.filter { $0.value.newest > foldedThrough }
            }
            guard entries.count < Self.most else { return false }
        }
        let end = window.span.upperBound
        entries[window.session, default: Entry()].newest =
            max(entries[window.session]?.newest ?? end, end)
        entries[window.session, default: Entry()].ledger.take(window)
        return true
    }
}

import Posix
import Primitives

/// Decides when a day is closed: when none of its windows is on its way any more.
///
/// Windows take a moment to arrive, and gateways' clocks differ. After an absence of the server, the broker first sends what it
/// has kept.
struct DayClosing {
    /// A day is closed so long after its end at the earliest.
    static let delivery = Duration.seconds(60)
    /// The broker is then connected, and has sent no window of the day for so long.
    private static let quiet = Duration.seconds(10)
    /// The next day waits for so long at most: the broker may be away, and a gateway's clock wrong.
    private static let longest = Duration.seconds(600)
    /// A server that runs has closed a day so long after its end.
    static let latest = delivery + longest

    private let end: UnixTime
    private var quietSince: UnixTime?
    private var waitsSince: UnixTime?
    private var isDecided = false

    init(_ day: LocalDay) { end = day.span.upperBound }

    /// Whether the day is to be closed now. The owner calls it about every second.
    ///
    /// - Parameters:
    ///   - isConnected: to the broker.
    ///   - hasNew: whether a window of the day has come since the last call, or is known to be missing.
    ///   - isNextFull: whether enough windows of the next day have come: the broker then has none of this day.
    mutating func isDue(
        at wall: UnixTime, isConnected: Bool, hasNew: Bool, isNextFull: Bool
    ) -> Bool {
        if !isConnected {
            quietSince = nil
        } else if hasNew || quietSince == nil {
            quietSince = wall
        }
        guard isPast(at: wall) else { return isDecided }
        let since = waitsSince ?? wall
        waitsSince = since
        let isQuiet = quietSince.map { wall - $0 >= Self.quiet } ?? false
        isDecided = isDecided || isNextFull || isQuiet || wall - since >= Self.longest
        return isDecided
    }

    /// Whether the windows of a server that was always connected have arrived.
    func isPast(at wall: UnixTime) -> Bool { wall >= end + Self.delivery }
}

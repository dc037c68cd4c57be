import Facts
import Primitives

/// Whether a radio that reports nothing is deaf: it fell silent together with several beacons, and its silence is longer than theirs
/// are by chance. Else nobody is there.
struct SilentRadio {
    /// The beacons near a gateway.
    struct Beacons {
        /// Those that were heard last in the second that is asked for, or after it.
        var silent: Set<Tag> = []
        /// The reports of all of them, in a thousand seconds. A sum of whole numbers is the same in any order.
        var reports = 0
    }

    /// The second before the last window in which the radio reported something; `nil` before the first one.
    private var lastReports: UnixSecond?
    /// The quiet seconds since.
    private var quiet = 0
    private var isDeaf = false
    /// The longest quiet time of the last hour that was short, in seconds, and when it ended.
    private var usual = (length: 0, end: UnixSecond(0))

    /// So many beacons do not leave within two seconds.
    private static let leastBeacons = 3
    /// A silence in which so many reports were expected is none of chance: its probability is 0.7 %.
    private static let leastReports = 5.0
    /// The same without any report yet, in seconds.
    private static let leastQuiet = 5
    /// After a longer time without any, in seconds, nobody is there.
    private static let mostQuiet = 3600
    /// Beacons that send together leave the radio quiet for longer than by chance. A longer time, in seconds, is no such one.
    private static let longestUsual = 10
    private static let memory = Duration.seconds(3600)

    /// Takes a second of the gateway.
    ///
    /// - Parameter beacons: those near it, for the second before they may have fallen silent. `nil` asks for those that were near before a restart.
    /// - Returns: whether the radio is deaf, although the gateway does not say so.
    mutating func on(
        _ state: GatewaySecond, at second: UnixSecond, beacons: (UnixSecond?) -> Beacons
    ) -> Bool {
        guard state.isListening else { return false }
        guard state.isQuiet else {
            if (1...Self.longestUsual).contains(quiet),
                quiet >= usual.length || second - usual.end > Self.memory
            {
                usual = (quiet, second)
            }
            let start = state.reportsSince.map { min(UnixSecond(containing: $0), second) }
            (lastReports, quiet, isDeaf) = ((start ?? second).advanced(by: -1), 0, false)
            return false
        }
        quiet += 1
        if !isDeaf || lastReports == nil {
            let near = beacons(lastReports)
            let isLong =
                lastReports == nil
                ? (Self.leastQuiet...Self.mostQuiet).contains(quiet)
                : Double(quiet * near.reports) / 1000 >= Self.leastReports
                    && quiet > 2 * usual.length
            isDeaf = isLong && near.silent.count >= Self.leastBeacons
        }
        return isDeaf
    }
}

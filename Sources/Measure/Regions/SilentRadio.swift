import Facts
import Primitives

/// Whether a radio that reports nothing is deaf: it fell silent together with several beacons. Else nobody is there.
struct SilentRadio: Equatable {
    /// The last second in which the radio reported something; `nil` before the first one.
    private var lastReports: UnixSecond?
    /// `nil` before a silence is judged.
    private var isDeaf: Bool?

    /// So many beacons do not leave within two seconds.
    private static let beacons = 3

    /// Takes a second of the gateway.
    ///
    /// - Parameter silent: how many of the beacons that are near were heard last in this second, or in the one before it. `nil`
    ///   asks for those that were near before a restart.
    /// - Returns: whether the radio is deaf, although the gateway does not say so.
    mutating func on(
        _ state: GatewaySecond, at second: UnixSecond, silent: (UnixSecond?) -> Int
    ) -> Bool {
        guard state.isListening else { return false }
        guard state.isQuiet else {
            (lastReports, isDeaf) = (second, nil)
            return false
        }
        let judgement = isDeaf ?? (silent(lastReports) >= Self.beacons)
        isDeaf = judgement
        return judgement
    }
}

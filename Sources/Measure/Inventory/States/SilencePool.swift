import Glibc

/// The silences of all beacons of a network, and the silence after which a beacon is missing: peaks over a threshold.
///
/// Of the excesses over a high threshold, the mean is an exponential's (Pickands 1975). With λ excesses a beacon-day, mean e and threshold
/// u, silences of s seconds are expected λ·7·N·exp(−(s − u)/e) times a week in a network of N beacons.
struct SilencePool: Equatable, Sendable {
    /// In descending order, in seconds.
    private(set) var longest: [Int32] = []
    /// The seconds in which beacons could be heard.
    var exposure = 0

    static let most = 2000
    /// The false alarms a week of the whole network.
    static let accepted = 1.0
    /// Until so much is learnt, rare obstacles are not among the silences.
    private static let learnt = 1000.0 * 86_400
    /// The shortest deadline before, in seconds.
    static let early = 900
    private static let peaks = [2000, 200]

    /// - Returns: whether it is one of the longest.
    mutating func add(_ silence: Int32) -> Bool {
        if longest.count == Self.most, let last = longest.last, silence <= last { return false }
        let index = longest.firstIndex { $0 < silence } ?? longest.endIndex
        longest.insert(silence, at: index)
        if longest.count > Self.most { longest.removeLast() }
        return true
    }

    private struct Tail {
        let threshold: Double
        let excess: Double
        /// Silences above the threshold, a second of one beacon.
        let rate: Double
    }

    private func tail(_ peaks: Int) -> Tail? {
        let count = min(peaks, longest.count)
        guard count >= 20, exposure > 0 else { return nil }
        let threshold = Double(longest[count - 1])
        let sum = longest.prefix(count).reduce(0.0) { $0 + Double($1) - threshold }
        // The mean of few excesses is uncertain. Silences are whole seconds.
        let excess = max(sum / Double(count), 0.5) * (1 + 1.5 / Double(count).squareRoot())
        return Tail(threshold: threshold, excess: excess, rate: Double(count) / Double(exposure))
    }

    /// The silence after which one of `beacons` is missing, in seconds.
    func deadline(of beacons: Int) -> Int {
        let found = Self.peaks.compactMap { tail($0) }.map { tail in
            let weekly = tail.rate * 7 * 86_400 * Double(max(1, beacons)) / Self.accepted
            return tail.threshold + tail.excess * log(max(1, weekly))
        }
        let deadline = Int(min(found.max() ?? 0, 7 * 86_400).rounded(.up))
        return Double(exposure) < Self.learnt ? max(deadline, Self.early) : max(deadline, 1)
    }

    /// The false alarms a week that are expected of silences of `seconds`; `nil` before anything is learnt.
    func falsePerWeek(_ seconds: Int, of beacons: Int) -> Double? {
        Self.peaks.compactMap { tail($0) }.map { tail in
            let weekly = tail.rate * 7 * 86_400 * Double(max(1, beacons))
            return weekly * exp(-max(0, Double(seconds) - tail.threshold) / tail.excess)
        }.max()
    }
}

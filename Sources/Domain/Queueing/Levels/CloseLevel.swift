/// The power that a tag reaches next to a gateway, learnt from the tags of the last three days.
///
/// It cancels the gateway's offset: antenna, housing, place. Each tag contributes its sixth loudest second. Tags that
/// only pass at a distance would pull a plain median down. The close level is therefore the median of the loud tags:
/// those within 8 dB of the loudest twentieth.
struct CloseLevel {
    /// The tags of each day, in bins of half a decibel; the newest day first.
    private var days: [(day: Int64, bins: [UInt32])] = []

    private static let lowest = -110.0
    private static let width = 0.5
    private static let bins = 200
    private static let keptDays = 3
    /// Before enough tags have come, a usual value counts as this many tags.
    private static let priorTags = 2.0
    private static let prior = -58.0
    private static let loudShare = 0.05
    private static let loudSpread = 8.0

    /// dBm, as of the last `update`.
    private(set) var value = Self.prior

    /// Adds a tag that has left, by its sixth loudest second.
    mutating func add(_ power: Double, second: Int64) {
        let day = second / 86_400
        if days.first?.day ?? .min < day {
            days.insert((day, [UInt32](repeating: 0, count: Self.bins)), at: 0)
            if days.count > Self.keptDays { days.removeLast() }
        }
        days[0].bins[Self.bin(power)] += 1
    }

    /// - Parameter present: the sixth loudest seconds of the tags that have not left yet.
    mutating func update(present: [Double]) {
        var counts = [Double](repeating: 0, count: Self.bins)
        for day in days {
            for (bin, count) in day.bins.enumerated() { counts[bin] += Double(count) }
        }
        for power in present { counts[Self.bin(power)] += 1 }
        counts[Self.bin(Self.prior)] += Self.priorTags
        let loudest = Self.quantile(1 - Self.loudShare, of: counts, from: 0)
        let loud = max(0, Int(loudest - Self.loudSpread / Self.width))
        value = Self.lowest + Self.quantile(0.5, of: counts, from: loud) * Self.width
    }

    private static func bin(_ power: Double) -> Int {
        let bin = ((power - lowest) / width).rounded()
        return Int(min(max(0, bin), Double(bins - 1)))
    }

    /// The bin, with a fraction, below which `share` of the counts from bin `first` on are.
    private static func quantile(_ share: Double, of counts: [Double], from first: Int) -> Double {
        var rest = counts[first...].reduce(0, +) * share
        for bin in first..<counts.count {
            if counts[bin] > 0, rest <= counts[bin] {
                return Double(bin) - 0.5 + rest / counts[bin]
            }
            rest -= counts[bin]
        }
        return Double(counts.count - 1)
    }
}

import Facts
import JSON

/// The power that a tag reaches next to a gateway, learnt on the last three UTC days with tags.
///
/// It cancels the gateway's offset: antenna, housing, place. Each presence of a tag contributes its loudest second. Tags that
/// only pass at a distance would pull a plain median down. The close level is therefore the median of the loud tags:
/// those within 8 dB of the loudest twentieth.
struct CloseLevel: Equatable {
    /// The tags of one day, in bins of half a decibel.
    struct Day: Equatable {
        /// Days since the epoch.
        let day: Int64
        fileprivate(set) var bins: [UInt32]
    }

    /// The newest day first.
    private(set) var days: [Day] = []

    /// The lowest bin in dBm, the width of a bin in decibels, and the number of bins.
    private static let lowest = -110.0
    private static let width = 0.5
    static let bins = 200
    static let keptDays = 3
    // Those below are chosen.
    /// A usual power in dBm, which counts as two tags: it matters as long as few tags have come.
    private static let usual = (power: -58.0, tags: 2.0)
    /// A survey stands for this number of tags, as long as fewer have come. Then their powers decide: a beacon in the hand is
    /// louder than one in a pocket.
    private static let surveyedTags = 20.0
    /// The loudest twentieth, and decibels below it.
    private static let loudShare = 0.05
    private static let loudSpread = 8.0

    init() {}

    /// The level after some days.
    init(days: [Day]) { self.days = days }

    /// Adds a tag that has left, by its loudest second.
    mutating func add(_ power: Double, at second: UnixSecond) {
        let day = second.day
        if days.first?.day ?? .min < day {
            days.insert(Day(day: day, bins: [UInt32](repeating: 0, count: Self.bins)), at: 0)
            if days.count > Self.keptDays { days.removeLast() }
        }
        days[0].bins[Self.bin(power)] &+= 1
    }

    /// The number of tags in each bin.
    ///
    /// - Parameter present: the loudest seconds of the tags that have not left yet.
    func counts(present: [Double]) -> [Double] {
        var counts = [Double](repeating: 0, count: Self.bins)
        for day in days {
            for (bin, count) in day.bins.enumerated() { counts[bin] += Double(count) }
        }
        for power in present { counts[Self.bin(power)] += 1 }
        return counts
    }

    /// The level in dBm of all these tags.
    ///
    /// - Parameter surveyed: dBm; `nil` without a survey.
    static func value(_ counts: [Double], surveyed: Double? = nil) -> Double {
        var counts = counts
        let known = counts.reduce(0, +)
        let prior =
            surveyed.map { (power: $0, tags: max(0, surveyedTags - known)) } ?? usual
        counts[bin(prior.power)] += prior.tags
        let loudest = quantile(1 - loudShare, of: counts, from: 0)
        let loud = max(0, Int(loudest - loudSpread / width))
        return lowest + quantile(0.5, of: counts, from: loud) * width
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

extension CloseLevel.Day {
    init(_ reader: inout ObjectReader) {
        day = reader.integer("day", in: 0...Int64.max)
        bins = [UInt32](repeating: 0, count: CloseLevel.bins)
        for (bin, count) in reader.pairs("bins", below: CloseLevel.bins) {
            bins[bin] = UInt32(clamping: count)
        }
    }

    var json: JSON {
        ["day": .integer(day), "bins": .pairs(bins.enumerated().map { ($0, Int64($1)) })]
    }
}

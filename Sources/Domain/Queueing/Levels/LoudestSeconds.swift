/// The six loudest seconds of a tag at a gateway; the sixth stands for the tag's approach.
///
/// The loudest second alone would be an outlier of the radio channel.
struct LoudestSeconds {
    /// In descending order.
    private var powers: [Double] = []

    private static let count = 6

    mutating func note(_ power: Double) {
        if powers.count == Self.count {
            guard let last = powers.last, power > last else { return }
            powers.removeLast()
        }
        powers.insert(power, at: powers.firstIndex { $0 < power } ?? powers.count)
    }

    /// dBm; `nil` where the tag was heard in fewer than six seconds.
    var sixth: Double? { powers.count == Self.count ? powers.last : nil }
}

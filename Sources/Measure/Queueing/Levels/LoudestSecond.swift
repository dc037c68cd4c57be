/// The loudest second of a tag at a gateway: it stands for the tag's approach.
///
/// People pass the entry in a second or two, or stand beside it for minutes if the line is long. The power at the nearest point
/// is nearly the same for both, and no other one is.
struct LoudestSecond {
    private var loudest = -Double.infinity
    private var seconds = 0

    /// A tag that is heard in fewer seconds shows no approach.
    private static let least = 6

    mutating func note(_ power: Double) {
        loudest = max(loudest, power)
        seconds += 1
    }

    /// dBm; `nil` where the tag was heard in fewer than six seconds.
    var power: Double? { seconds >= Self.least ? loudest : nil }
}

/// The sums of the line's length, and of those who joined, were served and gave up.
struct LineSums: Equatable, Sendable {
    /// The integral of the length over the known seconds, and the number of these seconds: its mean is the quotient.
    var personSeconds: Int64 = 0
    var seconds: Int64 = 0
    /// The most tags in line.
    var longest: Int64 = 0
    var joined: Int64 = 0
    /// With or without a wait that is known.
    var served: Int64 = 0
    var abandoned: Int64 = 0

    var meanLength: Double? { seconds > 0 ? Double(personSeconds) / Double(seconds) : nil }

    mutating func merge(_ other: LineSums) {
        personSeconds &+= other.personSeconds
        seconds &+= other.seconds
        longest = max(longest, other.longest)
        joined &+= other.joined
        served &+= other.served
        abandoned &+= other.abandoned
    }
}

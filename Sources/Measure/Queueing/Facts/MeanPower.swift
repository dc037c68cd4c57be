import Glibc

/// The mean of several readings' power, in milliwatts, weighted by their reports.
struct MeanPower {
    private var milliwatts = 0.0
    private var reports = 0
    private var only: Double?
    private(set) var senders = 0

    /// dBm without a report: the least that a controller tells.
    private static let none = -127.0

    mutating func add(_ reading: Reading) {
        only = reports == 0 ? reading.power : nil
        milliwatts += pow(10, reading.power / 10) * Double(reading.count)
        reports += reading.count
        senders = max(senders, reading.senders)
    }

    /// dBm; a single reading's power unchanged.
    var value: Double {
        only ?? (reports > 0 ? 10 * log10(milliwatts / Double(reports)) : Self.none)
    }
}

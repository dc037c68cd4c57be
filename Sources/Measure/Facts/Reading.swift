import Beacons
import Glibc
import Primitives

/// The reports of one tag in one window of one gateway.
package struct Reading: Hashable, Sendable {
    package let tag: Tag
    /// The mean power in dBm.
    package let power: Double
    private let first: UnixTime
    /// Milliseconds after `first`; the centre is negative where it is not known.
    private let length: Int32
    private let centre: Int32
    private let reports: Int32
    private let devices: Int32

    package init(
        tag: Tag, power: Double, count: Int, seen: ClosedRange<UnixTime>, centroid: UnixTime? = nil,
        senders: Int
    ) {
        self.tag = tag
        self.power = power
        first = seen.lowerBound
        length = Int32(clamping: seen.upperBound.milliseconds &- first.milliseconds)
        let start = first.milliseconds
        centre = centroid.map { Int32(clamping: max(0, $0.milliseconds &- start)) } ?? -1
        reports = Int32(clamping: count)
        devices = Int32(clamping: senders)
    }

    /// Advertising reports.
    package var count: Int { Int(reports) }
    /// The first and the last report.
    package var seen: ClosedRange<UnixTime> { first...time(max(0, length)) }
    /// The centre of the power in time; `nil` where it is not known.
    package var centroid: UnixTime? { centre < 0 ? nil : time(centre) }
    /// Distinct devices that sent the identity.
    package var senders: Int { Int(devices) }

    private func time(_ milliseconds: Int32) -> UnixTime {
        UnixTime(milliseconds: first.milliseconds &+ Int64(milliseconds))
    }
}

extension Reading {
    /// The power in one second of a wide window.
    ///
    /// The centre of the power tells whether the tag came or went. The tag's power is taken to change evenly, in
    /// decibels, over the time in which it was heard; then the centre gives the slope, and the mean gives the height.
    func tilted(to second: Range<UnixTime>) -> Reading {
        // In milliseconds.
        let (first, last) = (seen.lowerBound.milliseconds, seen.upperBound.milliseconds)
        let width = Double(last - first)
        guard let centroid, width >= 1000 else { return self }
        let middle = Double(first) + width / 2
        let offset = 2 * (Double(centroid.milliseconds) - middle) / width
        // exp(2·h·t) has its centre where Langevin's function of h is, here inverted (Cohen 1991).
        let centre = min(max(offset, -Self.mostOffset), Self.mostOffset)
        let half = centre * (3 - centre * centre) / (1 - centre * centre)
        let mean = half == 0 ? 1 : sinh(half) / half
        let (start, end) = (second.lowerBound.milliseconds, second.upperBound.milliseconds)
        let place = ((Double(start) + Double(end)) / 2 - middle) / width
        let growth = 2 * half * min(max(place, -0.5), 0.5)
        return Reading(
            tag: tag, power: power + (growth - log(mean)) * 10 / log(10), count: count, seen: seen,
            centroid: centroid, senders: senders)
    }

    /// A centre at the very end would be an infinite slope. Chosen.
    private static let mostOffset = 0.6
}

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

/// The pseudonym of a beacon. No fact has an identity.
///
/// The caller derives it from the identity when it parses a message. Equal identities must give equal pseudonyms.
package struct Tag: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Tag, right: Tag) -> Bool { left.rawValue < right.rawValue }
}

extension Tag {
    /// A pseudonym within one run of a program. It hides nothing from a person who knows the identity.
    package init(_ identity: BeaconIdentity) {
        var word: UInt64 = 0
        for part in [identity.high, identity.low, identity.rest] {
            word = SplitMix64.mix(word ^ part &+ SplitMix64.gamma)
        }
        self.init(rawValue: word)
    }
}

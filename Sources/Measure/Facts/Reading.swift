import Beacons
import Glibc
import Primitives

/// The reports of one tag in one window of one gateway.
package struct Reading: Hashable, Sendable {
    package let tag: Tag
    /// The mean power in dBm.
    package private(set) var power: Double
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

    /// The part of it that was heard in `span`, with its share of the reports; `nil` if that is none.
    func cut(to span: Range<UnixTime>) -> Reading? {
        guard span.overlaps(seen) else { return nil }
        var sum = ReportSum()
        sum.add(self, in: span)
        guard let part = sum.seen, sum.reports >= 0.5 else { return nil }
        return Reading(
            tag: tag, power: power, count: Int(sum.reports.rounded()), seen: part,
            centroid: centroid.map { min(max($0, part.lowerBound), part.upperBound) },
            senders: senders)
    }

    fileprivate func with(power: Double) -> Reading {
        var copy = self
        copy.power = power
        return copy
    }

    private func time(_ milliseconds: Int32) -> UnixTime {
        UnixTime(milliseconds: first.milliseconds &+ Int64(milliseconds))
    }
}

/// A reading of a wide window, whose power changes from second to second.
///
/// The centre of the power tells whether the tag came or went. The tag's power is taken to change evenly, in decibels, over
/// the time in which it was heard; then the centre gives the slope, and the mean gives the height.
struct TiltedReading {
    let reading: Reading
    /// The middle of the time in which the tag was heard, and its length, in milliseconds.
    private let middle: Double
    private let width: Double
    /// The growth over this time, in nats; `nil` for an even power.
    private let growth: Double?
    /// The logarithm of the mean, relative to the power in the middle.
    private let mean: Double

    /// A centre at the very end would be an infinite slope. Chosen.
    private static let mostOffset = 0.6

    init(_ reading: Reading) {
        self.reading = reading
        let first = reading.seen.lowerBound.milliseconds
        width = Double(reading.seen.upperBound.milliseconds - first)
        middle = Double(first) + width / 2
        guard let centroid = reading.centroid, width >= 1000 else {
            (growth, mean) = (nil, 0)
            return
        }
        let offset = 2 * (Double(centroid.milliseconds) - middle) / width
        // exp(2·h·t) has its centre where Langevin's function of h is, here inverted (Cohen 1991).
        let centre = min(max(offset, -Self.mostOffset), Self.mostOffset)
        let half = centre * (3 - centre * centre) / (1 - centre * centre)
        mean = log(half == 0 ? 1 : sinh(half) / half)
        growth = 2 * half
    }

    /// The reading with the power of one second.
    func reading(in second: Range<UnixTime>) -> Reading {
        guard let growth else { return reading }
        let (start, end) = (second.lowerBound.milliseconds, second.upperBound.milliseconds)
        let place = ((Double(start) + Double(end)) / 2 - middle) / width
        let change = growth * min(max(place, -0.5), 0.5) - mean
        return reading.with(power: reading.power + change * 10 / Self.nat)
    }

    private static let nat = log(10.0)
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

/// The reports of several readings of a tag in one second, and when the first and the last one came.
struct ReportSum {
    private(set) var reports = 0.0
    private(set) var seen: ClosedRange<UnixTime>?

    /// Adds those of a reading that came in the second: of a window across its border, none may have.
    mutating func add(_ reading: Reading, in second: Range<UnixTime>) {
        let whole = reading.seen
        guard second.overlaps(whole) else { return }
        let last = second.upperBound - .milliseconds(1)
        let part = whole.clamped(to: second.lowerBound...max(second.lowerBound, last))
        let share =
            part == whole
            ? 1
            : Double((part.upperBound - part.lowerBound).milliseconds + 1)
                / Double((whole.upperBound - whole.lowerBound).milliseconds + 1)
        reports += Double(reading.count) * share
        seen =
            seen.map {
                min($0.lowerBound, part.lowerBound)...max($0.upperBound, part.upperBound)
            } ?? part
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
        self.init(
            rawValue: [identity.high, identity.low, identity.rest].reduce(0) {
                Self.add($1, to: $0)
            })
    }

    /// The identity of this tag; `nil` if no beacon of the organisation has it.
    package func identity(
        of organisation: ProximityUUID, _ format: BeaconIdentity.Format
    ) -> BeaconIdentity? {
        let first = Self.add(organisation.high, to: 0)
        let identity: BeaconIdentity
        if format == .eddystoneUID {
            let rest = BeaconIdentity(format, prefix: organisation).rest
            let low = Self.part(between: first, and: Self.part(between: rest, and: rawValue))
            identity = BeaconIdentity(
                format, prefix: ProximityUUID(high: organisation.high, low: low))
        } else {
            let rest = Self.part(between: Self.add(organisation.low, to: first), and: rawValue)
            identity = BeaconIdentity(
                format, prefix: organisation, suffix: UInt32(truncatingIfNeeded: rest))
        }
        return Tag(identity) == self && identity.organisation == organisation ? identity : nil
    }

    private static func add(_ part: UInt64, to word: UInt64) -> UInt64 {
        SplitMix64.mix((word ^ part) &+ SplitMix64.gamma)
    }

    /// What `add` has added to one word, so that it became another one.
    private static func part(between word: UInt64, and sum: UInt64) -> UInt64 {
        (SplitMix64.unmix(sum) &- SplitMix64.gamma) ^ word
    }
}

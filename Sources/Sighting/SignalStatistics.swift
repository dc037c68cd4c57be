import Beacon

/// What the RSSI values of some reports amount to, kept so that two of them merge without loss.
///
/// Sums stay integers until somebody asks for a mean. The empty value is the identity of `merge`.
package struct SignalStatistics: Equatable, Sendable {
    /// Reports that had an RSSI.
    package private(set) var count = 0
    /// The weakest RSSI, in dBm.
    package private(set) var min = Int8.max
    /// The strongest RSSI, in dBm.
    package private(set) var max = Int8.min
    /// The latest RSSI, in dBm.
    package private(set) var last: Int8 = 0
    /// When `max` was first reached: the moment of passing.
    package private(set) var maxAt = Instant(microseconds: 0)
    /// Σ RSSI, in dBm.
    package private(set) var sum = 0
    /// Σ RSSI², in dBm².
    package private(set) var sumOfSquares = 0
    /// Σ power, in milliwatts.
    package private(set) var milliwatts = 0.0
    /// Σ power · (time − `reference`), in milliwatt microseconds.
    package private(set) var moment = 0.0
    /// The first measured report's time: moments are taken about it, to spend no digits on the date.
    package private(set) var reference = Instant(microseconds: 0)

    package init() {}

    /// The statistics as they were stored, member by member.
    package init(
        count: Int, min: Int8, max: Int8, last: Int8, maxAt: Instant, sum: Int, sumOfSquares: Int,
        milliwatts: Double, moment: Double, reference: Instant
    ) {
        self.count = count
        self.min = min
        self.max = max
        self.last = last
        self.maxAt = maxAt
        self.sum = sum
        self.sumOfSquares = sumOfSquares
        self.milliwatts = milliwatts
        self.moment = moment
        self.reference = reference
    }

    /// Counts one measured report.
    @inline(__always)
    package mutating func add(_ rssi: RSSI, at instant: Instant) {
        if count == 0 {
            reference = instant
            // The weakest RSSI there is exceeds no other, and is the strongest where it is the only one.
            maxAt = instant
        }
        let value = Int(rssi.dBm)
        let power = Milliwatts.of(rssi)
        count += 1
        sum += value
        sumOfSquares += value * value
        milliwatts += power
        moment += power * Double(instant.microseconds(since: reference))
        last = rssi.dBm
        if rssi.dBm < min { min = rssi.dBm }
        if rssi.dBm > max {
            max = rssi.dBm
            maxAt = instant
        }
    }

    /// Appends the statistics of the stretch of time that follows.
    package mutating func merge(_ later: SignalStatistics) {
        guard later.count > 0 else { return }
        guard count > 0 else {
            self = later
            return
        }
        count += later.count
        sum += later.sum
        sumOfSquares += later.sumOfSquares
        moment += later.moment
        moment += later.milliwatts * Double(later.reference.microseconds(since: reference))
        milliwatts += later.milliwatts
        last = later.last
        if later.min < min { min = later.min }
        if later.max > max {
            max = later.max
            maxAt = later.maxAt
        }
    }

    /// The mean in dBm; the worst guess at distance, wanted all the same.
    package var mean: Double { Double(sum) / Double(count) }

    /// The standard deviation in dB; divides by the count.
    package var standardDeviation: Double {
        // n·Σx² − (Σx)² is exact in integers, and never negative.
        let n = Double(count)
        return (n * Double(sumOfSquares) - Double(sum) * Double(sum)).squareRoot() / n
    }

    /// The mean power, in milliwatts.
    package var meanMilliwatts: Double { milliwatts / Double(count) }

    /// The power-weighted mean of the times.
    package var centroid: Instant {
        reference.advanced(byMicroseconds: Int64((moment / milliwatts).rounded()))
    }
}

/// Milliwatts of a dBm value, from a table: the power is summed for every report.
package enum Milliwatts {
    private static let table: [Double] = {
        // Powers of 10^(1/10) by decades, so that no rounding adds up over 256 products.
        let tenths = [
            1.0, 1.2589254117941673, 1.5848931924611136, 1.9952623149688795, 2.51188643150958,
            3.1622776601683795, 3.9810717055349722, 5.011872336272722, 6.309573444801933,
            7.943282347242816,
        ]
        return (0..<256).map { index in
            let dBm = Int(Int8(bitPattern: UInt8(index)))
            let decade = (dBm - (dBm % 10 + 10) % 10) / 10
            var scale = 1.0
            for _ in 0..<Swift.abs(decade) { scale *= 10 }
            let tenth = tenths[dBm - decade * 10]
            return decade < 0 ? tenth / scale : tenth * scale
        }
    }()

    @inline(__always)
    package static func of(_ rssi: RSSI) -> Double { table[Int(UInt8(bitPattern: rssi.dBm))] }
}

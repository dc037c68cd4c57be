import Beacons
import Primitives

/// Statistics of RSSI values that merge without loss.
///
/// Sums stay integers until a caller reads the mean. The empty value is the identity of `merge`.
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
            // −128 dBm does not exceed the initial maximum.
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

    /// The mean of the RSSI values in dBm. For distances, `meanMilliwatts` is the better measure.
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

/// Milliwatts of a dBm value: the product of two entries of literal tables, which are constants of the program.
///
/// A table of all 256 values would be computed at the first use, and each use would check for that.
package enum Milliwatts {
    /// Of −128, −112, … dBm.
    private static let coarse: [Double] = [
        1.5848931924611134e-13, 6.309573444801932e-12, 2.51188643150958e-10, 1e-08,
        3.9810717055349724e-07, 1.5848931924611134e-05, 0.0006309573444801932, 0.0251188643150958,
        1.0, 39.81071705534973, 1584.8931924611136, 63095.73444801933, 2511886.43150958,
        100000000.0, 3981071705.5349727, 158489319246.11136,
    ]
    /// Of 0, 1, … 15 dBm.
    private static let fine: [Double] = [
        1.0, 1.2589254117941673, 1.5848931924611134, 1.9952623149688795, 2.51188643150958,
        3.1622776601683795, 3.9810717055349727, 5.011872336272723, 6.3095734448019325,
        7.943282347242815, 10.0, 12.589254117941673, 15.848931924611135, 19.952623149688797,
        25.118864315095802, 31.622776601683793,
    ]

    @inline(__always)
    package static func of(_ rssi: RSSI) -> Double {
        let steps = Int(rssi.dBm) + 128
        return coarse[steps >> 4] * fine[steps & 15]
    }
}

import Glibc

/// The voltages of a beacon's battery: a median a day.
struct BatteryHistory: Equatable, Sendable {
    /// What the voltages say.
    struct Trend: Equatable, Sendable {
        let millivolts: Int
        /// Millivolts a day; `nil` with too few days.
        let slope: Double?
        /// Whether the voltage falls beyond doubt, or is low.
        let isEnding: Bool
        let daysLeft: Double?
    }

    private struct Day: Equatable {
        let day: Int
        let millivolts: Int
    }

    private var days: [Day] = []
    private var today: (day: Int, hours: [Int]) = (0, [])

    private static let memory = 14
    private static let recent = 7
    private static let fewest = 5
    /// Millivolts a day.
    private static let steepest = -2.0
    private static let low = 2600
    /// Below it, beacons stop.
    private static let empty = 2000.0
    /// Student's t of the upper 95 % bound, for 5 to 14 days.
    private static let quantiles = [2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81, 1.80, 1.78]

    static func == (left: BatteryHistory, right: BatteryHistory) -> Bool {
        left.days == right.days && left.today == right.today
    }

    /// Takes the median of an hour.
    ///
    /// - Parameter day: since the epoch.
    mutating func take(_ millivolts: Int, on day: Int) {
        if day != today.day { close() }
        today.day = day
        today.hours.append(millivolts)
    }

    private mutating func close() {
        guard let median = Median.of(today.hours) else { return }
        days.append(Day(day: today.day, millivolts: Int(median.rounded())))
        days.removeAll { $0.day <= today.day - Self.memory }
        today.hours = []
    }

    /// `nil` before the first voltage.
    var trend: Trend? {
        guard let last = days.last?.millivolts ?? Median.of(today.hours).map({ Int($0) }) else {
            return nil
        }
        let line = line(Self.memory)
        let bound = line.map { $0.slope + $0.margin }
        let isEnding = last < Self.low || bound.map { $0 < Self.steepest } ?? false
        // The last week shows the knee of the discharge earlier.
        let slopes = [line?.slope, self.line(Self.recent)?.slope].compactMap(\.self)
        let slope = slopes.min()
        let left = slope.flatMap { $0 < -0.1 ? max(0, Double(last) - Self.empty) / -$0 : nil }
        return Trend(millivolts: last, slope: slope, isEnding: isEnding, daysLeft: left)
    }

    /// The slope of the last days, and how much higher it may be.
    private func line(_ count: Int) -> (slope: Double, margin: Double)? {
        let points = days.suffix(count)
        guard points.count >= Self.fewest else { return nil }
        let n = Double(points.count)
        let x = points.reduce(0.0) { $0 + Double($1.day) } / n
        let y = points.reduce(0.0) { $0 + Double($1.millivolts) } / n
        var (xx, xy) = (0.0, 0.0)
        for point in points {
            xx += (Double(point.day) - x) * (Double(point.day) - x)
            xy += (Double(point.day) - x) * (Double(point.millivolts) - y)
        }
        guard xx > 0 else { return nil }
        let slope = xy / xx
        let squares = points.reduce(0.0) { sum, point in
            let rest = Double(point.millivolts) - y - slope * (Double(point.day) - x)
            return sum + rest * rest
        }
        let error = (squares / (n - 2) / xx).squareRoot()
        let quantile = Self.quantiles[min(points.count - Self.fewest, Self.quantiles.count - 1)]
        return (slope, quantile * error)
    }
}

/// The middle of some values.
enum Median {
    static func of(_ values: [Int]) -> Double? { of(values.map(Double.init)) }

    static func of(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2)
            ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

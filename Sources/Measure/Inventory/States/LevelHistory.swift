/// What gateways have heard of a beacon in the last days, hour by hour: its place, and how often it sends.
struct LevelHistory: Sendable {
    struct Hour: Sendable {
        /// Hours since the epoch.
        let number: Int
        /// Whether each gateway has listened for most of it.
        let isKnown: [Bool]
        let samples: [InventoryHour.Sample]
        /// Reports a second, of all gateways.
        let rate: Double

        /// The level at a gateway; that of silence without a report, `nil` where the gateway did not listen.
        func level(_ gateway: Int) -> Double? {
            guard gateway < isKnown.count, isKnown[gateway] else { return nil }
            return samples.first { $0.gateway == gateway }.map { Double($0.level) }
                ?? LevelHistory.silent
        }
    }

    /// How a gateway's level differs from the usual one.
    struct Deviation {
        let gateway: Int
        let difference: Double
        let spread: Double
        /// Whether the beacon was heard, and usually is: then the difference may be the gateway's.
        let isHeard: Bool
    }

    /// A lasting change.
    enum Change: Equatable {
        case moved(score: Double)
        case slower(rate: Double, usual: Double)

        var stored: InventoryHour.Change {
            switch self {
            case .moved: .moved
            case .slower: .slower
            }
        }
    }

    private var hours: [Hour] = []
    private var scores: [Double] = []
    /// While it lasts, the hours teach nothing: the operator decides whether it is right.
    private(set) var change: Change?

    /// dBm; below all that gateways hear.
    static let silent = -92.0
    /// The deviations from which on an hour is one of another place, and the number of such hours in a row.
    static let threshold = 1.8
    private static let movedHours = 6
    private static let slowHours = 24
    private static let slow = 0.7
    /// The hours with which one is compared: from so many before it until so many before it.
    private static let reference = (from: 78, to: 6)
    private static let memory = 104
    private static let fewest = 24

    /// Forgets what came before: the registry tells of a new place.
    mutating func forget(before hour: Int) {
        guard let first = hours.first, first.number < hour else { return }
        hours.removeAll { $0.number < hour }
        (scores, change) = ([], nil)
    }

    /// The deviations of an hour; empty while too little is known.
    func deviations(of hour: Hour) -> [Deviation] {
        let known =
            change == nil
            ? hours.filter {
                (Self.reference.to..<Self.reference.from).contains(hour.number - $0.number - 1)
            } : hours
        guard known.count >= Self.fewest else { return [] }
        let gateways = Set(known.flatMap { $0.samples.map(\.gateway) })
            .union(hour.samples.map(\.gateway))
        return gateways.sorted().compactMap { gateway in
            guard let level = hour.level(gateway) else { return nil }
            let levels = known.compactMap { $0.level(gateway) }
            guard levels.count >= Self.fewest / 2, let median = Median.of(levels),
                let scatter = Median.of(levels.map { abs($0 - median) })
            else { return nil }
            let spread = max(1.4826 * scatter, 1)
            return Deviation(
                gateway: gateway, difference: level - median,
                spread: (spread * spread + 1).squareRoot(),
                isHeard: level > Self.silent && median > Self.silent)
        }
    }

    /// Takes an hour with its deviations, from which the gateways' own are taken off.
    ///
    /// - Returns: a change that begins.
    mutating func take(_ hour: Hour, _ deviations: [Deviation], common: [Double]) -> Change? {
        if change == nil || hours.count < Self.fewest {
            hours.append(hour)
            hours.removeAll { $0.number <= hour.number - Self.memory }
        }
        if !deviations.isEmpty {
            let squares = deviations.map { deviation -> Double in
                let rest = deviation.difference - common[deviation.gateway]
                // A level of silence is a bound only: what the gateway's beacons have in common may explain all of it.
                let isExplained = !deviation.isHeard && rest * deviation.difference <= 0
                let z = isExplained ? 0 : rest / deviation.spread
                return min(z * z, 36)
            }
            let loudest = squares.sorted(by: >).prefix(3)
            scores.append(loudest.reduce(0, +).squareRoot())
            scores.removeFirst(max(0, scores.count - Self.movedHours))
        }
        return change == nil ? begun() : ended(hour)
    }

    /// Takes an hour again after a restart, with the change to which it belongs.
    mutating func restore(_ hour: Hour, _ stored: InventoryHour.Change?) {
        guard stored == nil || change?.stored != stored else { return }
        (change, scores) = (nil, [])
        hours.append(hour)
        hours.removeAll { $0.number <= hour.number - Self.memory }
        switch stored {
        case .moved: begin(.moved(score: Self.threshold), Self.movedHours)
        case .slower:
            // Without the hours before it, the beacon is learnt anew.
            if let rates { begin(.slower(rate: rates.last, usual: rates.usual), Self.slowHours) }
        case nil: break
        }
    }

    private mutating func begun() -> Change? {
        if scores.count == Self.movedHours, let least = scores.min(), least > Self.threshold {
            begin(.moved(score: least), Self.movedHours)
        } else if hours.count >= Self.slowHours + Self.fewest, let rates,
            rates.last < Self.slow * rates.usual
        {
            begin(.slower(rate: rates.last, usual: rates.usual), Self.slowHours)
        }
        return change
    }

    /// Begins a change to which the last hours belong.
    private mutating func begin(_ new: Change, _ last: Int) {
        hours.removeLast(min(last, hours.count))
        change = new
    }

    /// The most reports a second in an hour of the last day, and those of an hour before it.
    private var rates: (last: Double, usual: Double)? {
        guard let last = hours.suffix(Self.slowHours).map(\.rate).max(),
            let usual = Median.of(hours.dropLast(Self.slowHours).map(\.rate))
        else { return nil }
        return (last, usual)
    }

    /// Ends a change when the beacon is as before again.
    private mutating func ended(_ hour: Hour) -> Change? {
        let isOver =
            switch change {
            case .moved: scores.count == Self.movedHours && scores.max() ?? 0 <= Self.threshold
            case .slower(_, let usual): hour.rate >= Self.slow * usual
            case nil: false
            }
        if isOver { (change, scores) = (nil, []) }
        return nil
    }
}

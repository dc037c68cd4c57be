/// A period that is not final, with the known part of its time.
struct OpenPeriod {
    private(set) var seconds: Range<Int64>
    private(set) var knownMs: Int64 = 0
    private(set) var gateways: [GatewayTime]
    /// Whether each second is known.
    private var isKnown: [Bool] = []
    var forecast: Forecast?

    init(start: Int64, gateways: [String]) {
        seconds = start..<start
        self.gateways = gateways.map { GatewayTime(gateway: $0) }
    }

    /// A time in which no gateway of the site was heard.
    init(unknown seconds: Range<Int64>, gateways: [String]) {
        self.init(start: seconds.lowerBound, gateways: gateways)
        self.seconds = seconds
        for gateway in self.gateways.indices {
            self.gateways[gateway].add(ms: seconds.count * 1000, .unknown)
        }
    }

    /// Adds the next second.
    mutating func add(_ states: [GatewaySecond], _ roles: QueueRoles) {
        seconds = seconds.lowerBound..<seconds.upperBound + 1
        knownMs += Int64(roles.knownMs(states))
        isKnown.append(roles.isKnown(states))
        for (index, gateway) in roles.all.enumerated() { gateways[index].add(states[gateway]) }
    }

    /// The length in each second; empty for a time in which no gateway was heard, since all visits end before it.
    func lengths(_ visits: [Visit]) -> [Int] {
        guard !isKnown.isEmpty else { return [] }
        var changes = [Int](repeating: 0, count: seconds.count + 1)
        for visit in visits {
            let start = max(visit.entered.second, seconds.lowerBound)
            let end = min(visit.left.second, seconds.upperBound)
            guard start < end else { continue }
            changes[Int(start - seconds.lowerBound)] += 1
            changes[Int(end - seconds.lowerBound)] -= 1
        }
        var length = 0
        return changes.dropLast().map { change in
            length += change
            return length
        }
    }

    /// The line in this period, by the visits that overlap it.
    func statistics(_ visits: [Visit], lengths: [Int]) -> LineStatistics {
        let known = zip(lengths, isKnown).filter(\.1).map(\.0)
        let leavers = visits.filter { $0.left.second <= seconds.upperBound }
        return LineStatistics(
            meanLength: known.isEmpty ? nil : Double(known.reduce(0, +)) / Double(known.count),
            lengthAtEnd: visits.count { $0.left.second > seconds.upperBound },
            joined: visits.count { $0.entered.second >= seconds.lowerBound },
            abandoned: leavers.count { $0.end == .abandoned },
            waits: WaitStatistics(
                leavers.filter { $0.end == .served && $0.isExact }.map(\.wait)))
    }
}

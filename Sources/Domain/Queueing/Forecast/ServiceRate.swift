/// The rate of service: departures in the last quarter of an hour, over the time in which the line was not empty.
struct ServiceRate {
    /// Seconds at which visitors left; and those in which the line was not empty.
    private var departures: [Int64] = []
    private var busy: [Int64] = []

    private static let horizon: Int64 = 900
    private static let fewest = 3

    mutating func note(busyAt second: Int64) { busy.append(second) }

    mutating func note(departureAt second: Int64) { departures.append(second) }

    /// Visitors a second, as of `second`; `nil` where too few were served.
    mutating func value(_ view: LineView) -> Double? {
        let start = view.second - Self.horizon
        busy.removeFirst(busy.prefix { $0 < start }.count)
        departures.removeAll { $0 < start }
        let served = departures.count + view.served.count
        guard served >= Self.fewest, !busy.isEmpty else { return nil }
        return Double(served) / Double(busy.count)
    }
}

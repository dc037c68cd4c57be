import Beacons
import Primitives
import Sightings

/// Which rows become one when there is no room: adjacent windows of one session that lie in one cell of a grid.
enum Thinning {
    /// The grids, in microseconds, on UTC like the windows themselves: 10 s, 60 s, 10 min.
    static let grids: [Int64] = [10_000_000, 60_000_000, 600_000_000]

    /// What was found among some rows.
    enum Outcome: Equatable {
        /// These are adjacent whole windows, two or more, of one cell.
        case cell(Range<Int>)
        /// Nothing among those before `index`; what begins there may go on behind the last row.
        case none(before: Int)
    }

    /// The first cell that can be merged.
    ///
    /// - Parameters:
    ///   - rows: in order.
    ///   - isLast: nothing comes behind them.
    ///   - takesUnfinished: a cell that more windows may still come to will do.
    static func firstCell(
        in rows: [Row], grid: Int64, isLast: Bool, takesUnfinished: Bool
    ) -> Outcome {
        var start = 0
        while start < rows.count {
            let end = endOfRun(in: rows, from: start, grid: grid)
            let goesOn = end == rows.count
            if goesOn, !isLast { return .none(before: start) }
            if let cell = wholeWindows(in: rows, start..<end), !goesOn || takesUnfinished {
                return .cell(cell)
            }
            if goesOn { return .none(before: start) }
            start = max(end, start + 1)
        }
        return .none(before: rows.count)
    }

    /// Where the adjacent rows of one cell end that begin with `start`.
    private static func endOfRun(in rows: [Row], from start: Int, grid: Int64) -> Int {
        guard !rows[start].isFrozen, rows[start].isFirstOfWindow,
            let cell = rows[start].cell(of: grid)
        else { return start + 1 }
        var end = start + 1
        while end < rows.count, rows[end].follows(rows[end - 1]), rows[end].cell(of: grid) == cell {
            end += 1
        }
        return end
    }

    /// The part of a run that consists of whole windows, if there are at least two.
    static func wholeWindows(in rows: [Row], _ run: Range<Int>) -> Range<Int>? {
        let windows = run.count { rows[$0].isLastOfWindow }
        guard windows >= 2, let last = run.last(where: { rows[$0].isLastOfWindow }) else {
            return nil
        }
        return run.lowerBound..<last + 1
    }
}

extension Row {
    fileprivate var isFirstOfWindow: Bool { (part?.index ?? 0) == 0 }
    fileprivate var isLastOfWindow: Bool { part.map { $0.index + 1 >= $0.of } ?? true }

    /// Which cell of a grid it lies in; `nil` when it is in more than one.
    fileprivate func cell(of grid: Int64) -> Int64? {
        let start = interval.start.microseconds &+ stamp.offset
        let last = interval.end.microseconds &+ stamp.offset &- 1
        guard start <= last else { return nil }
        let cell = Self.floor(start, grid)
        return Self.floor(last, grid) == cell ? cell : nil
    }

    private static func floor(_ value: Int64, _ grid: Int64) -> Int64 {
        let quotient = value / grid
        return value < quotient * grid ? quotient - 1 : quotient
    }

    /// Whether nothing is missing between two rows, and nothing differs that one message says once.
    fileprivate func follows(_ other: Row) -> Bool {
        guard !isFrozen, lost == nil, !isRetuned, session == other.session, stamp == other.stamp,
            state == other.state, other.numbers.upperBound < .max,
            numbers.lowerBound == other.numbers.upperBound + 1
        else { return false }
        if isFirstOfWindow { return other.isLastOfWindow && interval.start == other.interval.end }
        guard let part, let before = other.part else { return false }
        return interval == other.interval && part.of == before.of && part.index == before.index + 1
    }
}

extension Parcel {
    /// What adjacent windows are together, as the fewest messages that hold it.
    ///
    /// The numbers are shared out so that each message has at least one; the last takes what is left.
    ///
    /// - Parameters:
    ///   - parcels: whole windows in order, with the parts of each.
    ///   - maxSightings: in a message, as long as there are numbers for so many.
    static func merged(_ parcels: [Parcel], maxSightings: Int) -> [Parcel] {
        guard let first = parcels.first, let last = parcels.last else { return [] }
        var radio: RadioCounts?
        var sightings: [Sighting] = []
        var places: [BeaconIdentity: Int] = [:]
        for parcel in parcels {
            if let counts = parcel.batch.radio { radio = radio.map { $0 + counts } ?? counts }
            for sighting in parcel.batch.sightings {
                if let place = places[sighting.identity] {
                    sightings[place].merge(sighting)
                } else {
                    places[sighting.identity] = sightings.count
                    sightings.append(sighting)
                }
            }
        }
        let lowest = first.batch.numbers.lowerBound
        let highest = last.batch.numbers.upperBound
        guard lowest <= highest else { return parcels }
        // Each parcel has a number at least, and no two have the same.
        let available = Int(clamping: min(highest - lowest, UInt64(parcels.count - 1))) + 1
        let size = max(1, maxSightings, (sightings.count + available - 1) / available)
        let parts = max(1, (sightings.count + size - 1) / size)
        return (0..<parts).map { index in
            let from = lowest + UInt64(index)
            let to = index == parts - 1 ? highest : from
            let end = min((index + 1) * size, sightings.count)
            return Parcel(
                origin: first.origin,
                batch: Batch(
                    seq: to, seqs: from == to ? nil : from...to,
                    interval: Interval(
                        start: first.batch.interval.start, end: last.batch.interval.end),
                    state: first.batch.state, isRetuned: index == 0 && first.batch.isRetuned,
                    radio: index == 0 ? radio : nil,
                    part: parts == 1 ? nil : Batch.Part(index: index, of: parts),
                    sightings: sightings[index * size..<end]),
                stamp: first.stamp, lost: index == 0 ? first.lost : nil)
        }
    }
}

extension RadioCounts {
    fileprivate static func + (left: RadioCounts, right: RadioCounts) -> RadioCounts {
        var sum = left
        sum += right
        return sum
    }
}

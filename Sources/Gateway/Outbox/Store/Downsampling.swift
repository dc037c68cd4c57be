import Beacons
import Primitives
import Sightings

/// Selects the windows to merge when the store is full: adjacent windows of one session in one cell of a time grid.
enum Downsampling {
    /// The grids, aligned with UTC like the windows.
    static let grids: [Duration] = [.seconds(10), .seconds(60), .seconds(600)]

    enum Outcome: Equatable {
        /// Two or more adjacent whole windows of one cell.
        case cell(Range<Int>)
        /// No cell before `index`. A cell that begins there can continue behind the last header.
        case none(before: Int)
    }

    /// Finds the first cell that can be merged.
    ///
    /// - Parameters:
    ///   - isLast: no header follows.
    ///   - takesUnfinished: also accepts a cell that can still get more windows.
    static func firstCell(
        in headers: [BatchHeader], grid: Duration, isLast: Bool, takesUnfinished: Bool
    ) -> Outcome {
        var start = 0
        while start < headers.count {
            let end = endOfRun(in: headers, from: start, grid: grid)
            let goesOn = end == headers.count
            if goesOn, !isLast { return .none(before: start) }
            if let cell = wholeWindows(in: headers, start..<end), !goesOn || takesUnfinished {
                return .cell(cell)
            }
            if goesOn { return .none(before: start) }
            start = max(end, start + 1)
        }
        return .none(before: headers.count)
    }

    /// The end of the adjacent headers in one cell from `start`.
    private static func endOfRun(in headers: [BatchHeader], from start: Int, grid: Duration) -> Int
    {
        guard !headers[start].isFinal, headers[start].isFirstOfWindow,
            let cell = headers[start].cell(of: grid)
        else { return start + 1 }
        var end = start + 1
        while end < headers.count, headers[end].follows(headers[end - 1]),
            headers[end].cell(of: grid) == cell
        {
            end += 1
        }
        return end
    }

    /// The whole windows of a run, if there are at least two.
    static func wholeWindows(in headers: [BatchHeader], _ run: Range<Int>) -> Range<Int>? {
        let windows = run.count { headers[$0].isLastOfWindow }
        guard windows >= 2, let last = run.last(where: { headers[$0].isLastOfWindow }) else {
            return nil
        }
        return run.lowerBound..<last + 1
    }
}

extension BatchHeader {
    fileprivate var isFirstOfWindow: Bool { (part?.index ?? 0) == 0 }
    fileprivate var isLastOfWindow: Bool { part.map { $0.index + 1 >= $0.of } ?? true }

    /// The cell of a grid that has the whole interval; `nil` if it is in more than one.
    fileprivate func cell(of grid: Duration) -> Int64? {
        let grid = grid.microseconds
        let start = stamp.wall(of: interval.start).microseconds
        let last = stamp.wall(of: interval.end).microseconds &- 1
        guard start <= last else { return nil }
        let cell = Self.floor(start, grid)
        return Self.floor(last, grid) == cell ? cell : nil
    }

    private static func floor(_ value: Int64, _ grid: Int64) -> Int64 {
        let quotient = value / grid
        return value < quotient * grid ? quotient - 1 : quotient
    }

    /// Whether both are adjacent, and one message can describe both.
    fileprivate func follows(_ other: BatchHeader) -> Bool {
        guard !isFinal, lost == nil, !isRetuned, session == other.session, stamp == other.stamp,
            state == other.state, other.numbers.upperBound < .max,
            numbers.lowerBound == other.numbers.upperBound + 1
        else { return false }
        if isFirstOfWindow { return other.isLastOfWindow && interval.start == other.interval.end }
        guard let part, let before = other.part else { return false }
        return interval == other.interval && part.of == before.of && part.index == before.index + 1
    }
}

extension StoredBatch {
    /// Merges adjacent windows into as few messages as possible. Each message gets a number, the last one all that remain.
    ///
    /// - Parameters:
    ///   - batches: whole windows in order, with all their parts.
    ///   - maxSightings: the limit of a message, unless there are too few numbers.
    static func merged(_ batches: [StoredBatch], maxSightings: Int) -> [StoredBatch] {
        guard let first = batches.first, let last = batches.last else { return [] }
        var radio: RadioCounts?
        var sightings: [Sighting] = []
        var places: [BeaconIdentity: Int] = [:]
        for stored in batches {
            if let counts = stored.batch.radio { radio = radio.map { $0 + counts } ?? counts }
            for sighting in stored.batch.sightings {
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
        guard lowest <= highest else { return batches }
        // Each batch has its own numbers.
        let available = Int(clamping: min(highest - lowest, UInt64(batches.count - 1))) + 1
        let size = max(1, maxSightings, (sightings.count + available - 1) / available)
        let parts = max(1, (sightings.count + size - 1) / size)
        return (0..<parts).map { index in
            let from = lowest + UInt64(index)
            let to = index == parts - 1 ? highest : from
            let end = min((index + 1) * size, sightings.count)
            return StoredBatch(
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

import JSON

extension WaitHistogram {
    /// What a table stores: `bins` has pairs of a bin and its count.
    var stored: JSON {
        [
            "sum": .integer(sum), "longest": .integer(longest),
            "bins": .pairs(counts.enumerated().map { ($0, $1) }),
        ]
    }

    init(_ reader: inout ObjectReader) {
        var counts: [Int64] = []
        for (bin, count) in reader.pairs("bins", below: Self.ends.count) {
            if counts.count <= bin { counts += Array(repeating: 0, count: bin + 1 - counts.count) }
            counts[bin] = count
        }
        self.init(
            counts: counts, sum: reader.integer("sum", in: 0...Int64.max / 1000),
            longest: reader.integer("longest", in: 0...Int64.max / 1000))
    }

    /// The published form.
    package var json: JSON {
        let (median, p90) = (QuantileInterval(0.5, of: self), QuantileInterval(0.9, of: self))
        return [
            "count": .integer(count), "meanMs": .milliseconds(mean),
            "medianMs": .milliseconds(quantile(0.5)), "medianLowMs": .milliseconds(median.low),
            "medianHighMs": .milliseconds(median.high), "p90Ms": .milliseconds(quantile(0.9)),
            "p90LowMs": .milliseconds(p90.low), "p90HighMs": .milliseconds(p90.high),
            "maxMs": .milliseconds(maximum),
        ]
    }
}

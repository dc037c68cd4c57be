/// The tags of a line at one moment.
struct TagsInLine: Equatable, Sendable {
    /// Those that are more probably in line than not.
    let count: Int
    /// That a tag is in line: for each of those, and for others that may be.
    let probabilities: [Double]
    /// The share of the tags in line that are among them.
    let recall: Double
}

extension TagsInLine {
    /// Those of visits. Of the others, nothing is known any more.
    init(_ visits: [Visit]) {
        count = visits.count
        probabilities = visits.map(\.probability)
        recall = LengthInterval.recall
    }
}

/// The line in a period.
package struct LineStatistics: Equatable, Sendable {
    let sums: LineSums
    var atEnd: TagsInLine
    package let waits: WaitStatistics

    /// The mean over the seconds that are known; `nil` without any.
    package var meanLength: Double? { sums.meanLength }
    /// Tags in line at the end.
    package var lengthAtEnd: Int { atEnd.count }
    package var joined: Int64 { sums.joined }
    package var abandoned: Int64 { sums.abandoned }
    package var served: Int64 { sums.served }
    var isEmpty: Bool { sums.longest == 0 && lengthAtEnd == 0 }
}

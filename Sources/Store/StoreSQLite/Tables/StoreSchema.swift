/// The steps that lead from each version of the file to the next.
struct StoreSchema: Sendable {
    /// The application's mark in the file header: "SLst" (sqlite.org/fileformat2.html, section 1.3).
    static let application: Int64 = 0x534c_7374

    /// The step at index n leads from version n to version n + 1.
    let steps: [String]

    var version: Int64 { Int64(steps.count) }

    /// The versions in which the tables and their columns began.
    static let current = StoreSchema(
        steps: (1...newest).map { version in
            StoreTable.all.flatMap { $0.migration(to: version) }.joined(separator: "\n")
        })

    private static let newest =
        StoreTable.all.flatMap { [$0.since] + $0.columns.compactMap(\.since) }.max() ?? 1
}

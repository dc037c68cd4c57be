import Facts

/// How many tills serve: those at which a visit ended within the last minutes.
enum OpenTills {
    /// Longer than a service takes.
    private static let horizon = Duration.seconds(300)

    /// - Parameters:
    ///   - leavers: visits that were served.
    ///   - length: tags in line. At least one till serves them.
    static func count(_ leavers: [Visit], length: Int, at second: UnixSecond) -> Int {
        let recent = leavers.filter { $0.left.second > second - horizon }
        return max(Set(recent.compactMap(\.till)).count, length > 0 ? 1 : 0)
    }
}

/// The line at one moment, by the knowledge of that moment: it may still change.
package struct LineView: Equatable, Sendable {
    /// A tag in line, or one that has left it.
    struct Stay: Equatable, Sendable {
        let tag: Tag
        let stay: LineStay
    }

    /// Seconds since the epoch.
    package let second: Int64
    /// When each tag that is in line joined it, the first one first.
    package var entered: [Int64] { inLine.map(\.stay.entered.second) }
    /// The expected number of tags in line: also of those that are not yet recognised.
    package internal(set) var expectedLength = 0.0
    /// Stays that go on.
    private(set) var inLine: [Stay] = []
    /// Stays that are over, but not final.
    private(set) var left: [Stay] = []

    init(second: Int64) { self.second = second }

    /// Tags in line.
    package var length: Int { inLine.count }

    /// The waits of those who were served, but whose visits are not final.
    var served: [LineStay] { left.lazy.map(\.stay).filter { $0.end == .served } }

    mutating func add(_ tag: Tag, _ decoder: LineDecoder) {
        expectedLength += decoder.probability
        if let since = decoder.inLineSince {
            add(tag, LineStay(entered: since, left: .never, end: .served, gain: 0))
        }
        for stay in decoder.pendingStays { add(tag, stay) }
    }

    mutating func add(_ tag: Tag, _ stay: LineStay) {
        let isOver = stay.left != .never
        if isOver { left.append(.init(tag: tag, stay: stay)) }
        if !isOver { inLine.append(.init(tag: tag, stay: stay)) }
    }

    mutating func sort() {
        inLine.sort { ($0.stay.entered.second, $0.tag) < ($1.stay.entered.second, $1.tag) }
    }
}

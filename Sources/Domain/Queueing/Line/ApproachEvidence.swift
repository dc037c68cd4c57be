import JSON

/// Which approach the people of a site have, by the order of their lines.
///
/// With the direct models, the joining of a browsing person is dated minutes too early, at a random time. Such stays are out
/// of order: 50 to 60 % of the certain ones overtake more people than the tills allow. People who walk to the line do so in at
/// most 4 % of stays.
struct ApproachEvidence: Equatable, Sendable {
    private(set) var approach = Approach.direct
    /// Certain stays, and those of them that overtake more than the tills allow. The older ones have less weight.
    private(set) var certain = 0.0
    private(set) var outOfTurn = 0.0

    /// The weight of a stay after each newer one.
    private static let fading = 0.995
    /// Fewer stays show nothing.
    private static let fewest = 20.0
    /// Shares out of turn. With many passers-by beside the till, the share is between 0.3 and 0.4. Chosen.
    private static let most = 0.4
    private static let least = 0.1

    init() {}

    mutating func add(isOutOfTurn: Bool) {
        certain = certain * Self.fading + 1
        outOfTurn = outOfTurn * Self.fading + (isOutOfTurn ? 1 : 0)
        decide()
    }

    private mutating func decide() {
        guard certain >= Self.fewest else { return }
        // Two standard deviations of the number at that share: a smaller excess is chance.
        let chance = 2 * (certain * Self.most * (1 - Self.most)).squareRoot()
        if outOfTurn > Self.most * certain + chance { approach = .browsing }
        if outOfTurn < Self.least * certain { approach = .direct }
    }
}

extension ApproachEvidence {
    init(_ reader: inout ObjectReader) {
        approach = reader.choice("approach", of: Approach.self) ?? .direct
        certain = reader.number("certain", in: 0...1e6)
        outOfTurn = reader.number("outOfTurn", in: 0...1e6)
    }

    var json: JSON {
        [
            "approach": .string(approach.rawValue), "certain": .number(certain),
            "outOfTurn": .number(outOfTurn),
        ]
    }
}

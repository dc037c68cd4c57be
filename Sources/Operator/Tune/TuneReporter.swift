import Messages

/// What a retuning tells, as lines.
protocol TuneReporter {
    func lines(_ edition: Edition) -> [String]
    func lines(published edition: Edition) -> [String]
    func line(_ gateway: GatewayName, _ judgement: Judgement, isInterrupted: Bool) -> String
    func line(_ summary: TuneSummary) -> String
}

/// How many gateways ended how.
struct TuneSummary: Equatable {
    private(set) var applied = 0
    private(set) var rejected = 0
    private(set) var refused = 0
    private(set) var silent = 0
    /// Documents that the broker has taken, of those that were to change.
    let published: Int
    let changes: Int
    let isInterrupted: Bool
    let exit: ExitCode

    var gateways: Int { applied + rejected + refused + silent }

    init(
        _ judgements: some Sequence<Judgement>, published: Int, changes: Int,
        isInterrupted: Bool = false, exit: ExitCode
    ) {
        self.published = published
        self.changes = changes
        self.isInterrupted = isInterrupted
        self.exit = exit
        for judgement in judgements {
            switch judgement.verdict {
            case .applied: applied += 1
            case .rejected: rejected += 1
            case .refused: refused += 1
            case .silent: silent += 1
            }
        }
    }

    /// The numbers with their words, those that always count and those that are not zero.
    var counts: [(word: String, number: Int)] {
        [("applied", applied)]
            + [("rejected", rejected), ("refused", refused), ("silent", silent)]
            .filter { $0.1 > 0 }
    }
}

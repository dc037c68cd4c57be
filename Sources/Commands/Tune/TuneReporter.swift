import CommandSupport
import Contract
import Subscriber

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
    private(set) var overtaken = 0
    private(set) var silent = 0
    /// Documents that the broker has taken, of those that were to change.
    let published: Int
    /// Documents that the broker was handed, and has not acknowledged.
    let outstanding: Int
    let changes: Int
    let isInterrupted: Bool
    let isDryRun: Bool
    let exit: ExitCode

    var gateways: Int { applied + rejected + refused + overtaken + silent }

    init(
        _ judgements: some Sequence<Judgement>, published: Int, outstanding: Int = 0,
        changes: Int, isInterrupted: Bool = false, isDryRun: Bool = false, exit: ExitCode
    ) {
        self.published = published
        self.outstanding = outstanding
        self.changes = changes
        self.isInterrupted = isInterrupted
        self.isDryRun = isDryRun
        self.exit = exit
        for judgement in judgements {
            switch judgement.verdict {
            case .applied: applied += 1
            case .rejected: rejected += 1
            case .refused: refused += 1
            case .overtaken: overtaken += 1
            case .silent: silent += 1
            }
        }
    }

    /// The numbers with their words, those that always count and those that are not zero.
    var counts: [(word: String, number: Int)] {
        [("applied", applied)]
            + [
                ("rejected", rejected), ("refused", refused), ("overtaken", overtaken),
                // Who was not waited for to the end is not to be called silent.
                (isInterrupted ? "without an answer yet" : "silent", silent),
            ].filter { $0.1 > 0 }
    }
}

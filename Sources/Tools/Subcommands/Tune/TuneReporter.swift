import Contract
import Subscriber
import Terminal

/// Formats the output of a rollout as lines.
protocol TuneReporter {
    func lines(_ revision: DocumentRevision) -> [String]
    /// The changes of many documents together; empty where each document has a line.
    func lines(_ summary: ChangeSummary) -> [String]
    func lines(published revision: DocumentRevision) -> [String]
    /// The number of documents that change; empty where each document has a line.
    func lines(changing: Int, of documents: Int) -> [String]
    func line(_ gateway: GatewayName, _ result: GatewayResult, isInterrupted: Bool) -> String
    func line(_ summary: TuneSummary) -> String
}

/// The number of gateways with each verdict, and of documents in each state.
struct TuneSummary: Equatable {
    private(set) var applied = 0
    private(set) var rejected = 0
    private(set) var refused = 0
    private(set) var overtaken = 0
    private(set) var offline = 0
    private(set) var silent = 0
    /// Changed documents that the broker has.
    let published: Int
    /// Changed documents that the broker may have: sent, but not acknowledged.
    let outstanding: Int
    /// Changed documents.
    let changes: Int
    let isInterrupted: Bool
    let isDryRun: Bool
    let exit: ExitCode

    var gateways: Int { applied + rejected + refused + overtaken + offline + silent }

    init(
        _ results: some Sequence<GatewayResult>, published: Int, outstanding: Int = 0,
        changes: Int, isInterrupted: Bool = false, isDryRun: Bool = false, exit: ExitCode
    ) {
        self.published = published
        self.outstanding = outstanding
        self.changes = changes
        self.isInterrupted = isInterrupted
        self.isDryRun = isDryRun
        self.exit = exit
        for result in results {
            switch result.verdict {
            case .applied: applied += 1
            case .rejected: rejected += 1
            case .refused: refused += 1
            case .overtaken: overtaken += 1
            case .offline: offline += 1
            case .silent: silent += 1
            }
        }
    }

    /// The number of applied gateways, and the numbers above zero of the other verdicts.
    var counts: [(word: String, number: Int)] {
        [("applied", applied)]
            + [
                ("rejected", rejected), ("refused", refused), ("overtaken", overtaken),
                ("offline", offline),
                // After an interruption, a gateway without a result is not yet silent.
                (isInterrupted ? "without an answer yet" : "silent", silent),
            ].filter { $0.1 > 0 }
    }
}

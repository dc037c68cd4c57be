/// The log-odds that a stay was given up, if it left the line out of turn and was not served.
///
/// A passer-by who stops beside the line leaves out of turn too. A person who gives up has joined: the entry is loud, and
/// the till is faint before. The levels are means over the seconds −12…−2, −1…1 and 2…12 around each edge.
struct GivingUpModel {
    /// Weights of the levels before, at and after an edge.
    struct Edge {
        let entry: [Double]
        let till: [Double]
    }

    /// Seconds before and after the edge that are at it.
    static let reach = 1

    let constant: Double
    let joining: Edge
    let leaving: Edge

    /// The source of the fit: `Tests/QueueBench/fit` on 2026-11-22, logistic regression on the stays that overtake another
    /// and are no visits, in the worlds of `VisitModel.direct` and of `Tests/QueueBench/simulate` (seeds 201 to 205).
    static let fitted = GivingUpModel(
        constant: -0.776,
        joining: Edge(entry: [0.0022, 0.126, -0.0075], till: [-0.0191, 0.0172, -0.0884]),
        leaving: Edge(entry: [0.003, 0.0187, 0.1441], till: [0.005, -0.1046, -0.0196]))
}

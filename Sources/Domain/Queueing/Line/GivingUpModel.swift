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
    /// and are no visits, in the worlds of `VisitModel.fitted` and of `Tests/QueueBench/simulate` (seeds 201 to 205).
    static let fitted = GivingUpModel(
        constant: -17.488,
        joining: Edge(entry: [0.1024, 0.1519, 0.0521], till: [-0.5170, -0.0248, -0.0686]),
        leaving: Edge(entry: [0.0444, 0.0135, 0.0713], till: [0.0739, -0.0208, -0.1647]))
}

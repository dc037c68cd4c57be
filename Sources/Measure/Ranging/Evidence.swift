/// How much a likelihood counts: the power τ to which it is raised.
///
/// Successive seconds, and gateways behind the same shelf, say the same again. (ν+1)/2 · τ is a number of quarters, so that no logarithm
/// is needed.
package enum Evidence: Int, Sendable {
    /// τ 1: several gateways, once.
    case whole = 14
    /// τ 0.71: a single gateway.
    case single = 10
    /// τ 0.5: each second of a moving tag.
    case moving = 7

    /// x to the power of −(ν+1)/2 · τ.
    func weight(_ x: FloorGrid.Block) -> FloorGrid.Block {
        let root = x.squareRoot().squareRoot()
        let second = root * root
        let fourth = second * second
        return switch self {
        case .whole: 1 / (fourth * fourth * fourth * second)
        case .single: 1 / (fourth * fourth * second)
        case .moving: 1 / (fourth * second * root)
        }
    }
}

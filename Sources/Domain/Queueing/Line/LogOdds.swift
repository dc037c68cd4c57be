import Glibc

extension Double {
    /// The probability with these log-odds.
    init(probabilityWithLogOdds logOdds: Double) { self = 1 / (1 + exp(-logOdds)) }
}

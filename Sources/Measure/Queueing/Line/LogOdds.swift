import Glibc

extension Double {
    /// The probability with these log-odds.
    init(probabilityWithLogOdds logOdds: Double) { self = 1 / (1 + exp(-logOdds)) }

    /// The odds with these log-odds. Larger ones than a billion to one add nothing.
    init(oddsWithLogOdds logOdds: Double) { self = Swift.min(exp(logOdds), 1e9) }
}

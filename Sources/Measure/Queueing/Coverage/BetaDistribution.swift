import Glibc

/// The beta distribution.
struct BetaDistribution {
    let alpha: Double
    let beta: Double

    var mean: Double { alpha / (alpha + beta) }

    /// The value below which `share` of the probability is, by bisection.
    func quantile(_ share: Double) -> Double {
        var low = 0.0
        var high = 1.0
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if cumulative(middle) < share { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The regularised incomplete beta function, by its continued fraction (Abramowitz, Stegun 26.5.8, Lentz' method).
    func cumulative(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        guard value < 1 else { return 1 }
        // The fraction converges fast below the mean.
        let isBelow = value <= (alpha + 1) / (alpha + beta + 2)
        return isBelow
            ? part(value) : 1 - BetaDistribution(alpha: beta, beta: alpha).part(1 - value)
    }

    private func part(_ value: Double) -> Double {
        let front = exp(
            logGamma(alpha + beta) - logGamma(alpha) - logGamma(beta) + alpha * log(value)
                + beta * log(1 - value))
        return front / alpha / fraction(value)
    }

    private func fraction(_ value: Double) -> Double {
        var result = 1.0
        var numerator = 1.0
        var denominator = 0.0
        for step in 1...200 {
            let m = Double(step / 2)
            let term =
                step % 2 == 0
                ? m * (beta - m) * value / ((alpha + 2 * m - 1) * (alpha + 2 * m))
                : -(alpha + m) * (alpha + beta + m) * value
                    / ((alpha + 2 * m) * (alpha + 2 * m + 1))
            denominator = 1 / nonzero(1 + term * denominator)
            numerator = nonzero(1 + term / numerator)
            result *= numerator * denominator
            if abs(numerator * denominator - 1) < 1e-12 { break }
        }
        return result
    }

    private func nonzero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
}

/// The natural logarithm of Γ for positive numbers, by Stirling's series (Abramowitz, Stegun 6.1.41).
///
/// The last bits of glibc's `lgamma` differ between arm64 and amd64, so results could depend on the processor.
func logGamma(_ value: Double) -> Double {
    // The series is exact from ten on. Below: Γ(x) = Γ(x + 1) / x.
    var value = value
    var product = 1.0
    while value < 10 {
        product *= value
        value += 1
    }
    let square = 1 / (value * value)
    let series = stirling.reduce(0) { $1 - square * $0 } / value
    return (value - 0.5) * log(value) - value + halfLogOfTwoPi + series - log(product)
}

/// The series' coefficients, the last one first.
private let stirling: [Double] = [1 / 1188, 1 / 1680, 1 / 1260, 1 / 360, 1 / 12]
private let halfLogOfTwoPi = 0.918_938_533_204_672_7

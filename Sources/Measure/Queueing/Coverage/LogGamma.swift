import Glibc

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

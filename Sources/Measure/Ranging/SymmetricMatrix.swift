/// A symmetric positive definite matrix, by its lower triangle.
struct SymmetricMatrix {
    let size: Int
    private var values: [Double]

    init(_ size: Int) {
        self.size = size
        values = Array(repeating: 0, count: size * (size + 1) / 2)
    }

    /// - Parameter column: at most `row`.
    subscript(row: Int, column: Int) -> Double {
        get { values[row * (row + 1) / 2 + column] }
        set { values[row * (row + 1) / 2 + column] = newValue }
    }

    /// Cholesky's factor. A matrix that is not positive definite by rounding gets a small diagonal.
    consuming func factor() -> CholeskyFactor {
        for row in 0..<size {
            for column in 0...row {
                var sum = self[row, column]
                for k in 0..<column { sum -= self[row, k] * self[column, k] }
                self[row, column] =
                    row == column ? max(sum, 1e-9).squareRoot() : sum / self[column, column]
            }
        }
        return CholeskyFactor(lower: self)
    }
}

/// The triangle A of a matrix A·Aᵀ.
struct CholeskyFactor {
    fileprivate let lower: SymmetricMatrix

    /// A⁻¹ of a vector.
    func forward(_ vector: [Double]) -> [Double] {
        var result = vector
        for row in 0..<lower.size {
            for k in 0..<row { result[row] -= lower[row, k] * result[k] }
            result[row] /= lower[row, row]
        }
        return result
    }

    /// (A·Aᵀ)⁻¹ of a vector.
    func solve(_ vector: [Double]) -> [Double] {
        var result = forward(vector)
        for row in (0..<lower.size).reversed() {
            for k in (row + 1)..<max(row + 1, lower.size) {
                result[row] -= lower[k, row] * result[k]
            }
            result[row] /= lower[row, row]
        }
        return result
    }
}

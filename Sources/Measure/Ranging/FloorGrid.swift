/// The cells of a floor, row by row, in blocks of eight.
package struct FloorGrid: Sendable {
    /// So many cells are computed together.
    typealias Block = SIMD8<Float>

    package let step: Double
    package let columns: Int
    package let rows: Int
    private let origin: PlanPoint
    /// 1 of the cells whose centre is on the floor, else 0. Rows follow each other; the last block is filled up with 0.
    let mask: [Float]
    /// The number of cells on the floor.
    package let count: Int

    /// The usual width of a cell, in metres. A larger floor has wider cells.
    static let usualStep = 0.5
    /// A floor of 50 × 80 m has so many.
    package static let mostCells = 16_384

    /// - Parameter most: so many cells at most.
    package init(_ floor: PlanPolygon, most: Int = FloorGrid.mostCells) {
        let (low, high) = floor.bounds
        let (width, height) = (max(high.x - low.x, 0.5), max(high.y - low.y, 0.5))
        let fitting = (width * height / Double(most)).squareRoot()
        let step = max(Self.usualStep, fitting * 1.02)
        let columns = min(max(Int((width / step).rounded(.up)), 1), most)
        let rows = min(max(Int((height / step).rounded(.up)), 1), most)
        let blocks = (columns * rows + 7) / 8
        var mask = [Float](repeating: 0, count: blocks * 8)
        for row in 0..<rows {
            for column in 0..<columns {
                let centre = PlanPoint(
                    low.x + (Double(column) + 0.5) * step, low.y + (Double(row) + 0.5) * step)
                if floor.contains(centre) { mask[row * columns + column] = 1 }
            }
        }
        // A floor narrower than a cell.
        if !mask.contains(1) { mask[0] = 1 }
        (self.step, self.columns, self.rows, origin) = (step, columns, rows, low)
        self.mask = mask
        count = mask.count { $0 > 0 }
    }

    var blocks: Int { mask.count / 8 }

    /// The centre of a cell.
    package func centre(_ cell: Int) -> PlanPoint {
        PlanPoint(
            origin.x + (Double(cell % columns) + 0.5) * step,
            origin.y + (Double(cell / columns) + 0.5) * step)
    }
}

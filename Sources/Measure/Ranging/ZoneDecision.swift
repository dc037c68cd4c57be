/// The zone that is stated of a tag: one that is probable enough, until another is.
package struct ZoneDecision: Equatable, Sendable {
    /// Its index; `nil` before any zone was probable enough.
    package private(set) var zone: Int?

    package static let sure = 0.8

    package init() {}

    /// - Parameter probabilities: by zone.
    package mutating func take(_ probabilities: [Double]) {
        if let next = probabilities.firstIndex(where: { $0 >= Self.sure }) { zone = next }
    }
}

/// The levels of one tag at the roles of a queue, in decibels above the close level.
struct RoleLevels: Equatable {
    let entry: Double
    let till: Double
    /// The loudest gateway of the tills.
    let loudestTill: Int
    /// Also of gateways along the line.
    let louder: Double
}

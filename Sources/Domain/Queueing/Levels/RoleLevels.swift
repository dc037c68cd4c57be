/// The levels of one tag at the roles of a queue, in decibels above the close level.
struct RoleLevels: Equatable {
    let entry: Double
    let till: Double
    /// The loudest gateway of the tills.
    let loudestTill: Int
    /// Also of gateways along the line.
    let loudest: Double
    /// The second of the tag's last report; `nil` if it is the present one.
    var lastHeard: UnixSecond?

    /// A tag is away below this level. The tag of a person in line is louder, apart from some seconds.
    static let away = -34.0

    var isAway: Bool { loudest < Self.away }
}

import Facts

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

    /// A tag is away below this level. The tag of a person in line is louder, apart from some seconds. Chosen: the fit had −34 dB, and
    /// people who shop 12 to 40 m away then made their own level sink.
    static let away = -30.0

    var isAway: Bool { loudest < Self.away }
}

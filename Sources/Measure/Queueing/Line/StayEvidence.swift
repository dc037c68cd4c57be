/// The parts that one second has in the log-odds of a stay: if it joins, leaves, or goes on.
struct VisitScores: Equatable {
    var joining = 0.0
    var leaving = 0.0
    var staying = 0.0
    /// The same for `GivingUpModel`.
    var joiningToGiveUp = 0.0
    var givingUp = 0.0
}

/// What the seconds of a stay say of it until now.
struct StayEvidence: Equatable {
    let joining: Double
    private let joiningToGiveUp: Double
    private var staying = 0.0
    private var seconds = 0.0

    /// - Parameter first: of the second of joining.
    init(_ first: VisitScores) {
        joining = first.joining
        joiningToGiveUp = first.joiningToGiveUp
    }

    mutating func add(_ staying: Double) {
        self.staying += staying
        seconds += 1
    }

    /// The log-odds of `GivingUpModel` if the stay ends in a second with these scores.
    func givingUp(_ last: VisitScores) -> Double {
        GivingUpModel.fitted.constant + joiningToGiveUp + last.givingUp
    }

    var meanStaying: Double { seconds > 0 ? staying / seconds : 0 }
}

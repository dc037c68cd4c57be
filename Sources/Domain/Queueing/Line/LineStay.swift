/// One stay in the line, as the decoder found it.
struct LineStay: Equatable {
    enum End: Equatable {
        /// By the till.
        case served
        /// The tag was in line and then faded without the till.
        case abandoned
    }

    var entered: EdgeDate
    var left: EdgeDate
    var end: End
    /// What the stay adds to the score of the best sequence without it.
    var gain: Double
}

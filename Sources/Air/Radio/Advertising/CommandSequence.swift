import HCI

/// The commands that bring the controller's advertising to a state.
struct CommandSequence {
    enum Purpose {
        case request
        /// Restores the advertising from before a refused request.
        case rollback(AdvertisingRefusal)
        /// Restores the advertising in force without a request.
        case restore
        /// Sends the next frames of sets with several.
        case turn
    }

    let purpose: Purpose
    /// The advertising after the last step; `nil` for none.
    let target: Advertising?
    var steps: [AdvertisingStep]
}

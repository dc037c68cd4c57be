/// Why a message was not handed to the broker.
package enum PublishFailure: Error, Equatable, Sendable {
    /// The connection is gone, or the broker has not let us in yet.
    case notConnected
    /// The message breaks a rule or a limit of the broker's, with the code that the broker would have answered.
    case refused(ReasonCode)
}

/// Why a message was not sent.
package enum PublishFailure: Error, Equatable, Sendable {
    /// The connection has ended, or the broker has not accepted it yet.
    case notConnected
    /// The message breaks a rule or a limit of the broker's, with the code that the broker would have answered.
    case refused(ReasonCode)
}

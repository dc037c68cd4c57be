/// What a link adds to a lost connection that another program of the same name may have ended.
package struct RivalHints: Sendable {
    /// Where the broker gives no reason.
    package let suspicion: String
    /// Where the broker names the reason.
    let remedy: String

    /// For programs that brokers know by their certificate or user name.
    package static let credentials = RivalHints(
        suspicion: "does another program use the same certificate or user name?",
        remedy: "each program in parallel needs a certificate of its own")

    private init(suspicion: String, remedy: String) {
        self.suspicion = suspicion
        self.remedy = remedy
    }

    /// For a program whose client identifier follows from its configuration.
    package init(clientID: String, remedy: String) {
        suspicion = "another program may be connected as \(clientID): \(remedy)"
        self.remedy = remedy
    }
}

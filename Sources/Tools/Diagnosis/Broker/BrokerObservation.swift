import MQTT

/// What a program finds at a broker.
package struct BrokerObservation {
    /// What the broker can do, or the reason why the broker refuses the connection.
    package var login: Result<BrokerAbilities, ConnectionFailure>
    /// By topic filter; without an entry if the broker has not answered.
    package var answers: [String: ReasonCode] = [:]
    /// The retained messages by topic, and those of the program's own status.
    package var documents: [String: [UInt8]] = [:]
    /// Another client of the same names appeared: it took the connection over, or published a status.
    package var hasRival = false

    /// Whether the broker has delivered a message for a filter, which may have wildcards (MQTT 5.0 section 4.7.1).
    func hasDocument(for filter: String) -> Bool {
        let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
        return documents.keys.contains { topic in
            let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
            let start = wanted.prefix { $0 != "#" }
            let hasSameLength = levels.count == start.count
            let isLongEnough = levels.count >= start.count
            return (start.count < wanted.count ? isLongEnough : hasSameLength)
                && zip(start, levels).allSatisfy { $0 == "+" || $0 == $1 }
        }
    }

    /// Whether the absence of a retained message shows that nothing was published.
    package var retains: Bool { (try? login.get())?.retains ?? false }

    init(login: Result<BrokerAbilities, ConnectionFailure>) { self.login = login }
}

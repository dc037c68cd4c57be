import MQTT

/// What a program finds at a broker.
package struct BrokerFindings {
    /// The protocol version, or the reason why the broker refuses the connection.
    package var login: Result<ProtocolVersion, ConnectionFailure>
    /// By topic filter; without an entry if the broker has not answered.
    package var answers: [String: ReasonCode] = [:]
    /// The retained messages by topic, and those of the program's own status.
    package var documents: [String: [UInt8]] = [:]
    /// Another client of the same names appeared: it took the connection over, or published a status.
    package var hasRival = false

    init(login: Result<ProtocolVersion, ConnectionFailure>) { self.login = login }
}

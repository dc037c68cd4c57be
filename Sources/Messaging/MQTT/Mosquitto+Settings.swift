extension Mosquitto {
    /// Prepares a new client for its connection.
    ///
    /// - Throws: `isConfiguration`: the settings can't work.
    func configure(_ settings: ConnectionSettings, _ will: Will?) throws(ConnectionFailure) {
        limitPackets(to: settings.maximumPacket, settings.reading)
        if let username = settings.username {
            let code = setCredentials(username: username, password: settings.password)
            guard code == .success else { throw settings.fault("the user name is not valid") }
        }
        if let will {
            guard setWill(will) == .success, !will.topic.utf8.contains(0) else {
                throw settings.fault("the will's topic \"\(will.topic)\" is not valid")
            }
        }
        if let tls = settings.tls {
            guard setTLS(tls) == .success else {
                throw settings.fault("the TLS settings are not valid")
            }
        }
    }
}

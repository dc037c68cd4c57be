import Session

extension Daemon.Run {
    /// - Throws: no broker is usable. The error is already written.
    func checkBrokers() throws(Daemon.Exit) {
        guard configuration.broker != nil else {
            throw Daemon.report(["mqtt is missing in the configuration"], .wrong)
        }
        var notes = BrokerList.Notes()
        let list = BrokerList(reading: configuration, &notes)
        if list.usable.isEmpty { throw Daemon.report(notes.passwordFaults, .wrong) }
    }

    /// The brokers in the order of attempts. Reads the password files.
    ///
    /// A broker whose password can't be read is logged and left out if there is another one.
    ///
    /// - Throws: wrong configuration. The error is already written.
    func brokers() throws(Daemon.Exit) -> (first: BrokerEndpoint, list: BrokerList) {
        var notes = BrokerList.Notes()
        let list = BrokerList(reading: configuration, &notes)
        for warning in notes.warnings { log.warning(warning) }
        guard let first = list.usable.first else {
            throw Daemon.report(notes.passwordFaults, .wrong)
        }
        for fault in notes.passwordFaults {
            log.error("broker not usable", ["reason": fault])
        }
        return (first, list)
    }
}

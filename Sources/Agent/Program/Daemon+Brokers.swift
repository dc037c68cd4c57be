extension Daemon.Run {
    /// The brokers in the order in which they are tried; reads the passwords' files.
    ///
    /// One whose password can't be read is left out, and said, as long as there is another.
    ///
    /// - Throws: wrong configuration, after having said so.
    func brokers() throws(Daemon.Exit) -> (first: BrokerEndpoint, list: BrokerList) {
        guard configuration.broker != nil else {
            throw Daemon.complain(["mqtt is missing in the configuration"], .wrong)
        }
        var findings = BrokerList.Findings()
        let list = BrokerList(reading: configuration, &findings)
        for warning in findings.warnings { log.warning(warning) }
        guard let first = list.usable.first else {
            throw Daemon.complain(findings.passwordFaults, .wrong)
        }
        for fault in findings.passwordFaults {
            log.error("a broker can't be used", ["reason": fault])
        }
        return (first, list)
    }
}

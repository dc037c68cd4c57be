extension Daemon.Run {
    /// The brokers in the order in which they are tried; reads the passwords' files.
    ///
    /// One whose password can't be read is left out, and said, as long as there is another.
    ///
    /// - Throws: wrong configuration, after having said so.
    func brokers() throws(Daemon.Exit) -> (first: Uplink.Broker, list: BrokerList) {
        guard configuration.broker != nil else {
            throw Daemon.complain(["mqtt is missing in the configuration"], .wrong)
        }
        var remarks = BrokerList.Remarks()
        let list = BrokerList(reading: configuration, &remarks)
        for warning in remarks.warnings { log.warning(warning) }
        guard let first = list.usable.first else { throw Daemon.complain(remarks.faults, .wrong) }
        for fault in remarks.faults { log.error("a broker can't be used", ["reason": fault]) }
        return (first, list)
    }
}

import Configuration

extension BrokerSettings {
    /// The files of the section, each with its purpose.
    package var files: [(purpose: String, path: String)] {
        let all = [
            ("password", passwordFile), ("CA file", tls?.caFile),
            ("certificate", tls?.certFile), ("key", tls?.keyFile),
        ]
        return all.compactMap { purpose, path in path.map { (purpose, $0) } }
    }

    package func names(_ file: String) -> Bool { files.contains { $0.path == file } }
}

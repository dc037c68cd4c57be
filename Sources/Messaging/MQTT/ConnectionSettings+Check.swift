import Posix

extension ConnectionSettings {
    /// A failure of the settings themselves.
    func fault(_ words: String) -> ConnectionFailure {
        ConnectionFailure(address: address, cause: .configuration(words))
    }

    /// Refuses what the library would refuse without a reason, or cut short at a NUL; loads the certificates and the key.
    package func check() throws(ConnectionFailure) {
        guard !host.isEmpty, port != 0 else { throw fault("host and port must be given") }
        for (name, value) in [
            ("host", host), ("client identifier", clientID), ("user name", username ?? ""),
            ("password", password ?? ""), ("CA file's name", tls?.caFile ?? ""),
            ("certificate file's name", tls?.client?.certFile ?? ""),
            ("key file's name", tls?.client?.keyFile ?? ""),
        ] where value.utf8.contains(0) {
            throw fault("the \(name) contains a NUL character")
        }
        guard username != nil || password == nil else {
            throw fault("a password needs a user name")
        }
        guard let tls else { return }
        try checkFiles(of: tls)
        do throws(TLSStream.Failure) { try TLSStream.check(tls) } catch {
            switch error {
            case .file(let sentence): throw fault(sentence)
            case .handshake(let words):
                throw ConnectionFailure(address: address, cause: .tls(.other(words)))
            }
        }
    }

    /// Names the file that can't be read, which the library does not.
    private func checkFiles(of tls: TLSSettings) throws(ConnectionFailure) {
        let files = [
            ("CA file", tls.caFile), ("client certificate", tls.client?.certFile),
            ("client key", tls.client?.keyFile),
        ]
        for (name, path) in files {
            guard let path else { continue }
            do throws(Errno) {
                _ = try MappedFile(path: path)
            } catch {
                throw fault("can't read the \(name) \(path): \(error)")
            }
        }
    }
}

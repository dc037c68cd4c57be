extension ConnectionSettings {
    /// The files that each connection reads.
    package var files: [String] {
        [tls?.caFile, tls?.client?.certFile, tls?.client?.keyFile].compactMap(\.self)
    }

    /// Why no attempt can succeed, such as a certificate that can't be loaded.
    package var fault: ConnectionFailure? {
        do throws(ConnectionFailure) {
            try check()
            return nil
        } catch {
            return error
        }
    }
}

import Glibc

/// Listening sockets that the service manager has opened (sd_listen_fds(3)).
package enum SocketActivation {
    /// The first one's descriptor.
    private static let first: CInt = 3
    /// More than any service needs.
    private static let most: CInt = 16

    /// The descriptors that `LISTEN_FDS` and `LISTEN_PID` announce to this process, non-blocking and closed on exec.
    package static func listeners(
        process: Int32 = getpid(), environment: (String) -> String?
    ) -> [CInt] {
        guard environment("LISTEN_PID").flatMap({ Int32($0) }) == process,
            let count = environment("LISTEN_FDS").flatMap({ CInt($0) }), (1...most).contains(count)
        else { return [] }
        return (first..<first + count).filter { descriptor in
            (try? Sockets.setFlags(descriptor)) != nil
        }
    }
}

import Posix
import Testing

@Suite struct SocketActivationTests {
    /// sd_listen_fds(3): both variables, of this process; the first descriptor is 3.
    @Test(
        "only what the service manager announces to this process is taken",
        arguments: [
            (nil, nil), ("1", nil), (nil, "7"), ("1", "8"), ("0", "7"), ("-1", "7"),
            ("x", "7"), ("1000000", "7"),
        ])
    func none(_ count: String?, _ process: String?) {
        let variables = ["LISTEN_FDS": count, "LISTEN_PID": process]
        #expect(SocketActivation.listeners(process: 7) { variables[$0] ?? nil } == [])
    }
}

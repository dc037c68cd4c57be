import Glibc
import Testing

@testable import Posix

@Suite struct ErrnoTests {
    @Test(
        "an error number has the system's description",
        arguments: [
            (Errno.permissionDenied, "Permission denied"),
            (.noSuchFile, "No such file or directory"),
            (.networkDown, "Network is down"),
            (.blockedByRFKill, "Operation not possible due to RF-kill"),
            (Errno(rawValue: 12345), "Unknown error 12345"),
        ])
    func describes(error: Errno, text: String) {
        #expect("\(error)" == text)
    }

    @Test("a call that a signal interrupted is repeated; another failure is thrown")
    func retries() throws {
        var calls = 0
        let result = try retryingInterrupts { () -> CInt in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 7
        }
        #expect(result == 7)
        #expect(calls == 3)
        #expect(throws: Errno.busy) {
            try retryingInterrupts { () -> CInt in
                errno = EBUSY
                return -1
            }
        }
    }
}

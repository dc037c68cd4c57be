import Posix
import Primitives
import Testing

@testable import Radio

@Suite struct RadioFailureTests {
    @Test(
        "every kernel error's text has the adapter and the remedy",
        arguments: [
            (Errno.networkDown, RadioFailure.Kind.down, "hci3 is down: run 'hciconfig hci3 up'"),
            (.noSuchDevice, .noSuchAdapter, "no adapter hci3"),
            (.addressFamilyNotSupported, .noBluetooth, "modprobe bluetooth"),
            (.notPermitted, .notPermitted, "needs CAP_NET_RAW"),
            (.permissionDenied, .notPermitted, "needs CAP_NET_RAW"),
            (.tooManyUsers, .inUse, "hci3 is in use"),
            (.blockedByRFKill, .blocked, "rfkill unblock"),
            (.brokenPipe, .lost, "hci3 was removed"),
            (.invalidArgument, .system(.invalidArgument), "Invalid argument"),
        ])
    func raw(error: Errno, kind: RadioFailure.Kind, words: String) {
        let failure = RadioFailure.system(error, .raw(device: 3))
        #expect(failure.kind == kind)
        #expect(failure.sentence.contains(words))
        #expect(failure.source == "hci3")
    }

    @Test(
        "the user channel needs another capability, and brings an adapter up that is down",
        arguments: [
            (Errno.notPermitted, RadioFailure.Kind.notPermitted, "needs CAP_NET_ADMIN"),
            (.busy, .inUse, "hciconfig hci3 down"),
            (.networkDown, .down, "switched hci3 off: the gateway opens it again"),
        ])
    func user(error: Errno, kind: RadioFailure.Kind, words: String) {
        let failure = RadioFailure.system(error, .user(device: 3))
        #expect(failure.kind == kind)
        #expect(failure.sentence.contains(words))
        #expect("\(failure)".hasPrefix("hci3:user: "))
    }

    @Test(
        "an unreachable stream's text has its address",
        arguments: [
            (Errno.connectionRefused, RadioFailure.Kind.unreachable, "tcp:localhost:9"),
            (.noSuchFile, .unreachable, "no controller at"),
            (.connectionReset, .lost, "closed the connection"),
        ])
    func stream(error: Errno, kind: RadioFailure.Kind, words: String) {
        let failure = RadioFailure.system(error, .h4(.tcp(host: "localhost", port: 9)))
        #expect(failure.kind == kind)
        #expect(failure.sentence.contains(words))
        #expect(failure.source == "h4:tcp:localhost:9")
    }

    @Test("the text of a failure begins with the source")
    func named() {
        let failure = RadioFailure.system(.brokenPipe, .h4(.unix(path: "/run/radio")))
        #expect("\(failure)" == "h4:unix:/run/radio: the controller closed the connection")
        #expect(failure.kind == .lost)
    }
}

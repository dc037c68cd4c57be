import HCI
import Posix

/// Why the radio does not work: the source, the cause and the remedy.
package struct RadioFailure: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case noBluetooth
        case noSuchAdapter
        case down
        case inUse
        case blocked
        case notPermitted
        case unreachable
        case lost
        case timedOut(Opcode)
        case refused(Opcode, HCIStatus)
        case hardwareError(UInt8)
        case outOfStep
        case system(Errno)
    }

    package let kind: Kind
    package let source: String
    /// The cause and the remedy, for an operator.
    package let sentence: String

    init(_ kind: Kind, _ source: ControllerSource, _ sentence: String) {
        self.kind = kind
        self.source = source.description
        self.sentence = sentence
    }
}

extension RadioFailure {
    /// Whether the controller is at fault, so that a reset may help.
    package var isRecoverable: Bool {
        switch kind {
        case .timedOut, .refused, .hardwareError: true
        case .noBluetooth, .noSuchAdapter, .down, .inUse, .blocked, .notPermitted, .unreachable,
            .lost, .outOfStep, .system:
            false
        }
    }
}

extension RadioFailure: CustomStringConvertible {
    package var description: String { "\(source): \(sentence)" }
}

extension RadioFailure {
    /// The failure of a system call that opens, reads or writes a controller.
    package static func system(_ error: Errno, _ source: ControllerSource) -> RadioFailure {
        switch source {
        case .h4(let address): stream(error, source, "\(address)")
        case .raw(let device): kernel(error, source, "hci\(device)", "CAP_NET_RAW")
        case .user(let device): kernel(error, source, "hci\(device)", "CAP_NET_ADMIN")
        }
    }

    private static func down(_ source: ControllerSource, _ adapter: String) -> RadioFailure {
        if case .user = source {
            // The user channel itself had brought it up.
            RadioFailure(
                .down, source,
                "another program or the kernel switched \(adapter) off: the gateway opens it again")
        } else {
            RadioFailure(.down, source, "\(adapter) is down: run 'hciconfig \(adapter) up'")
        }
    }

    /// The resolver has not yet answered.
    static func unresolved(_ address: Sockets.Address) -> RadioFailure {
        RadioFailure(
            .unreachable, .h4(address),
            "the name in \(address) is not resolved within \(HostLookup.limit.milliseconds / 1000) s: check the name server, or use a numeric address"
        )
    }

    private static func kernel(
        _ error: Errno, _ source: ControllerSource, _ adapter: String, _ capability: String
    ) -> RadioFailure {
        switch error {
        case .addressFamilyNotSupported:
            RadioFailure(
                .noBluetooth, source,
                "this kernel has no Bluetooth: load its module with 'modprobe bluetooth'")
        case .noSuchDevice:
            RadioFailure(
                .noSuchAdapter, source,
                "there is no adapter \(adapter): plug it in or enable it; 'hciconfig -a' lists all adapters"
            )
        case .networkDown: down(source, adapter)
        case .busy:
            RadioFailure(
                .inUse, source,
                "\(adapter) is up, and the user channel needs it down: stop bluetoothd and run 'hciconfig \(adapter) down'"
            )
        case .tooManyUsers:
            RadioFailure(
                .inUse, source,
                "\(adapter) is in use: another program has exclusive access; stop it, or choose another adapter"
            )
        case .blockedByRFKill:
            RadioFailure(
                .blocked, source, "\(adapter) is switched off: run 'rfkill unblock bluetooth'")
        case .notPermitted, .permissionDenied:
            RadioFailure(
                .notPermitted, source,
                "needs \(capability): run as root, or grant it with 'setcap cap_net_raw,cap_net_admin+ep' on the program"
            )
        case .brokenPipe, .connectionReset:
            RadioFailure(.lost, source, "\(adapter) was removed: plug it in again")
        default: RadioFailure(.system(error), source, "\(error)")
        }
    }

    private static func stream(
        _ error: Errno, _ source: ControllerSource, _ address: String
    ) -> RadioFailure {
        switch error {
        case .noSuchFile, .connectionRefused, .timedOut:
            RadioFailure(
                .unreachable, source,
                "no controller at \(address): start one there, or correct the address")
        case .brokenPipe, .connectionReset:
            RadioFailure(.lost, source, "the controller closed the connection")
        default: RadioFailure(.system(error), source, "\(error)")
        }
    }
}

extension RadioFailure {
    package init(_ fault: Controller.Fault, _ source: ControllerSource) {
        switch fault {
        case .timedOut(let opcode):
            self.init(
                .timedOut(opcode), source,
                "the controller did not answer \(opcode) within 2 s: reset or replug the adapter")
        case .refused(let opcode, .commandDisallowed):
            self.init(
                .refused(opcode, .commandDisallowed), source,
                "the controller refused \(opcode) with \(HCIStatus.commandDisallowed): another program drives it; stop that (bluetoothd?) or use the user channel"
            )
        case .refused(let opcode, let status):
            self.init(
                .refused(opcode, status), source, "the controller refused \(opcode) with \(status)")
        case .hardwareError(let code):
            self.init(
                .hardwareError(code), source,
                "the controller reports hardware error \(code): if it happens again, replace the adapter"
            )
        }
    }
}

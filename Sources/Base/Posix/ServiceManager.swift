import Glibc
import Primitives

/// systemd's notification protocol: each message is a datagram of `KEY=VALUE` lines (sd_notify(3)).
///
/// libsystemd would cost a megabyte of memory here; its authors recommend a plain socket instead.
package final class ServiceManager: Sendable {
    /// Something to say.
    package enum Notification: Equatable, Sendable {
        /// The start is over, or the reload.
        case ready
        case reloading
        /// The end begins.
        case stopping
        /// How things are, for people: one line.
        case status(String)
        /// Alive and at work.
        case alive
    }

    /// How long it waits for a sign of life; `nil` when it does not wait.
    package let patience: Duration?
    private let address: [UInt8]
    private let socket: Descriptor

    /// Reads `NOTIFY_SOCKET` and `WATCHDOG_USEC` (sd_watchdog_enabled(3)); `nil` when no service
    /// manager listens.
    package init?(process: Int32 = getpid(), environment: (String) -> String?) {
        guard let place = environment("NOTIFY_SOCKET"), let address = Self.address(of: place)
        else { return nil }
        let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = Glibc.socket(AF_UNIX, kind, 0)
        guard number >= 0 else { return nil }
        socket = Descriptor(owning: number)
        self.address = address
        let watched = environment("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
        let interval = environment("WATCHDOG_USEC").flatMap { Int64($0) }
        patience = interval.flatMap { watched && $0 > 0 ? .microseconds($0) : nil }
    }

    /// Sends the messages. A manager whose queue is full misses them.
    package func send(_ notifications: Notification...) { send(notifications) }

    /// Says it, when there is something to say.
    package func send(_ notifications: [Notification]) {
        guard !notifications.isEmpty else { return }
        send(notifications.map(\.line).joined(separator: "\n"))
    }

    /// The start goes on, and may take so long until the next notification (EXTEND_TIMEOUT_USEC, sd_notify(3)).
    package func extendStart(by time: Duration) {
        send("EXTEND_TIMEOUT_USEC=\(time.microseconds)")
    }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = address.withUnsafeBytes { address in
            address.withMemoryRebound(to: sockaddr.self) {
                sendto(
                    socket.rawValue, bytes, bytes.count, CInt(MSG_NOSIGNAL),
                    $0.baseAddress, socklen_t(address.count))
            }
        }
    }

    /// A socket's address: a path, or `@` and a name that is no file's (unix(7)).
    package static func address(of place: String) -> [UInt8]? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(place.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count > 1, name.count < room, name[0] == 0x2f || name[0] == 0x40 else {
            return nil
        }
        let isAbstract = name[0] == 0x40
        if isAbstract { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        // An abstract name has no end of its own, and would be as long as the address is.
        let size = MemoryLayout<sockaddr_un>.size - room + name.count + (isAbstract ? 0 : 1)
        return withUnsafeBytes(of: address) { Array($0.prefix(size)) }
    }
}

extension ServiceManager.Notification {
    fileprivate var line: String {
        switch self {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Clocks.monotonic.microseconds)"
        case .stopping: "STOPPING=1"
        case .status(let text):
            "STATUS="
                + text.split(separator: "\n", omittingEmptySubsequences: true)
                .joined(separator: " ")
        case .alive: "WATCHDOG=1"
        }
    }
}

/// When to notify the watchdog that the program works: twice in the watchdog's period (sd_watchdog_enabled(3)).
package struct WatchdogTimer {
    private let interval: Duration
    /// When the next notification is due.
    package private(set) var deadline: Instant

    /// - Parameter period: after this time without a notification, the watchdog restarts the service.
    package init(period: Duration, at now: Instant) {
        interval = max(.microseconds(1), period / 2)
        deadline = now
    }

    /// Whether a notification is due. The next one is scheduled.
    package mutating func isDue(at now: Instant) -> Bool {
        guard deadline <= now else { return false }
        deadline = now + interval
        return true
    }
}

import Glibc
import HCI
import Posix
import Primitives
import Radio

/// A while of listening to a radio.
struct Listening {
    /// What came of it.
    struct Findings {
        var family: CommandFamily?
        var canDoBoth = true
        var hearing = Hearing()
    }

    private let source: ControllerSource
    private let duration: Int64
    /// So long, in microseconds, a controller may take to begin to scan.
    private static let patience: Int64 = 10_000_000

    init(_ source: ControllerSource, seconds: Int) {
        self.source = source
        duration = Int64(seconds) * 1_000_000
    }

    /// Scans, and leaves the scan off and what is advertised alone.
    ///
    /// A controller that would be the agent's own (`hciN:user`, `h4:…`) is reset by that, as by everybody who uses it so:
    /// nobody has it, so nothing of anybody is lost.
    mutating func listen() throws(RadioFailure) -> Findings {
        // Whoever interrupts it is not to leave a scan behind.
        let signals = try? Signals([SIGINT, SIGTERM, SIGHUP])
        defer { signals?.release() }
        let radio = try LiveRadio(source, at: Self.now)
        defer { radio.stop(keepingAdvertising: true) }
        let wish = signals.map { [Poll.Interest($0.descriptor.rawValue)] } ?? []
        var findings = Findings()
        var begun: Int64?
        let opened = Clocks.boot
        while true {
            let end = begun.map { $0 + duration } ?? opened + Self.patience
            let now = Clocks.boot
            guard now < end else { break }
            let due = radio.deadline.map { $0.microseconds(since: Self.now) } ?? .max
            let wait = max(0, min(due, end - now)) / 1000 + 1
            do throws(Errno) {
                let ready = try Poll.wait(
                    for: wish + radio.descriptors.map { Poll.Interest($0) }, timeout: Int(wait))
                if !wish.isEmpty, !ready[0].isEmpty { break }
            } catch {
                throw RadioFailure.system(error, source)
            }
            try radio.receive(
                at: Self.now, report: { findings.hearing.hear($1) },
                notify: { if $0 == .scanStarted { begun = begun ?? Clocks.boot } })
        }
        findings.family = radio.family
        findings.canDoBoth = radio.canScanWhileAdvertising
        return findings
    }

    /// Listens to an adapter that somebody else has scan.
    static func overhear(_ device: UInt16, seconds: Int) throws(RadioFailure) -> Hearing {
        let ear = try ReportReader(device: device)
        var hearing = Hearing()
        let end = Clocks.boot + Int64(seconds) * 1_000_000
        while Clocks.boot < end {
            let left = Int(max(0, end - Clocks.boot)) / 1000 + 1
            do throws(Errno) {
                _ = try Poll.wait(for: [Poll.Interest(ear.descriptor)], timeout: left)
            } catch {
                throw RadioFailure.system(error, .raw(device: device))
            }
            try ear.receive { hearing.hear($0) }
        }
        return hearing
    }

    private static var now: Instant { Instant(microseconds: Clocks.boot) }
}

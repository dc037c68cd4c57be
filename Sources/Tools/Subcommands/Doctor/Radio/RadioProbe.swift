import Beacons
import Glibc
import HCI
import Posix
import Primitives
import Radio

/// Receives advertising reports for some seconds.
struct RadioProbe {
    struct Observation {
        var family: CommandFamily?
        var canDoBoth = true
        /// The random address that stands for a public one; `nil` if the controller has one.
        var randomAddress: DeviceAddress?
        var counts = ReportCounts()
    }

    private let source: ControllerSource
    private let randomAddress: DeviceAddress
    private let duration: Duration
    /// The time for a controller to start the scan.
    private static let timeout = Duration.seconds(10)

    /// - Parameter randomAddress: stands for a public address, if the controller has none.
    init(_ source: ControllerSource, randomAddress: DeviceAddress, seconds: Int) {
        self.source = source
        self.randomAddress = randomAddress
        duration = .seconds(seconds)
    }

    /// Scans, then stops the scan. Advertising continues.
    ///
    /// The scan resets an exclusive controller (`hciN:user`, `h4:…`), which no other program uses.
    mutating func scan() throws(RadioFailure) -> Observation {
        // A signal ends the probe only after the scan is stopped.
        let signals = try? Signals([SIGINT, SIGTERM, SIGHUP])
        defer { signals?.release() }
        let radio = try LiveRadio(source, randomAddress: randomAddress, at: .now)
        defer { radio.stop(keepingAdvertising: true) }
        let signal = signals?.descriptor.rawValue
        var observation = Observation()
        var end = Instant.now + Self.timeout
        var isScanning = false
        var disallowed: Opcode?
        while Instant.now < end {
            do throws(Errno) {
                let descriptors = radio.descriptors + [signal].compactMap(\.self)
                let ready = try Poll.wait(
                    for: descriptors.map { Poll.Interest($0) },
                    until: radio.deadline.map { min($0, end) } ?? end)
                if !ready[signal].isEmpty { break }
            } catch {
                throw RadioFailure.system(error, source)
            }
            try radio.receive(
                at: .now, report: { _, event, _ in observation.counts.add(event) },
                notify: { change in
                    if case .scanDisallowed(let opcode) = change { disallowed = opcode }
                    guard change == .scanStarted, !isScanning else { return }
                    isScanning = true
                    end = .now + duration
                })
        }
        if let disallowed, !isScanning {
            throw RadioFailure(.refused(disallowed, .commandDisallowed), source)
        }
        observation.family = radio.family
        observation.randomAddress = radio.ownAddress.flatMap { $0.isRandom ? $0 : nil }
        observation.canDoBoth = radio.canScanWhileAdvertising
        return observation
    }

    /// Receives the reports of another program's scan.
    static func listen(_ device: UInt16, seconds: Int) throws(RadioFailure) -> ReportCounts {
        let reader = try ReportReader(device: device)
        var counts = ReportCounts()
        let end = Instant.now + .seconds(seconds)
        while Instant.now < end {
            do throws(Errno) {
                _ = try Poll.wait(for: [Poll.Interest(reader.descriptor)], until: end)
            } catch {
                throw RadioFailure.system(error, .raw(device: device))
            }
            try reader.receive { counts.add($0) }
        }
        return counts
    }
}

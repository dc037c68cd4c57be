import Beacons
import Configuration
import Contract
import HCI
import Logging
import Posix
import Primitives
import Sightings
import SimulatedRadio
import TestVectors
import Testing
import VirtualRadio

@testable import Agent
@testable import Radio

/// A supervisor with a strict controller and beacons, on the test's clock.
final class RecoveryGateway {
    private(set) var now = Instant(microseconds: 10_000_000)
    let transport: SimulatedTransport
    private(set) var batches: [Batch] = []
    private(set) var openings: [Instant] = []
    private(set) var visits = 0
    /// The minor numbers of the beacons on the air, each with ten reports a second.
    var audible: [UInt16] = []
    /// The kernel's result of a power cycle of the adapter.
    var powerOutcome: Result<Void, Errno> = .success(())
    private(set) var powerCycles = 0
    private let arrivals = Arrivals()
    /// The failure of the adapter; `nil` while it is up.
    var failure: RadioFailure? { didSet { transport.failure = failure } }
    private var supervisor: RadioSupervisor?
    private var nextBeat: Instant
    private var powerEnd: Instant?

    static let source = ControllerSource.raw(device: 0)
    /// The advertising interval in microseconds.
    private static let beat: Int64 = 100_000

    init(
        family: CommandFamily = .legacy, isShared: Bool, references: [UInt16] = [],
        powersOn: Bool = false, exitAfterMinutes: Int = 0, scanDutyPercent: Int = 100,
        tuning: GatewaySettings = GatewaySettings(
            report: ReportSettings { $0.maxSilence = .seconds(1) })
    ) {
        transport = SimulatedTransport(family: family, isExclusive: !isShared)
        nextBeat = now
        var radio = RadioSettings()
        radio.powersOn = powersOn
        radio.exitAfterMinutes = exitAfterMinutes
        if isShared { kernelSetsUp() }
        supervisor = RadioSupervisor(
            settings: tuning, maxIdentities: 1000,
            recovery: RecoverySettings(
                radio, references: references.map { Advertisements.identity($0) },
                isShared: isShared, seed: 3,
                powerCycle: { [unowned self] in begin() },
                powerOn: { [unowned self] in beginPowerOn() },
                arrivals: arrivals),
            log: Log(level: .silent), at: now,
            open: { [unowned self] desired, now throws(RadioFailure) in
                openings.append(now)
                if let failure { throw failure }
                transport.controller.forgetConversation()
                return try LiveRadio(
                    transport, source: Self.source, timing: ScanTiming(percent: scanDutyPercent),
                    advertising: desired, at: now)
            },
            emit: { [unowned self] batch, _ in batches.append(batch) })
    }

    /// Changes the configured references.
    func watch(_ references: [UInt16]) {
        supervisor?.setReferences(references.map { Advertisements.identity($0) }, at: now)
    }

    /// Whether the agent would end.
    var mustExit: Bool { supervisor?.mustExit ?? false }

    /// The adapter appears, and the kernel notifies the agent.
    func arrive() {
        failure = nil
        arrivals.hasArrived = true
        step()
    }

    var health: RadioHealth { supervisor?.health ?? RadioHealth() }
    /// The messages about a recovery that would not be logged again.
    var suppressed: Set<String> { supervisor?.recoveryLog.written ?? [] }
    var steps: RecoveryPolicy.Counts { health.steps }

    func misbehave(_ kind: Misbehaviour.Kind) {
        transport.controller.misbehave(kind, at: now)
    }

    /// Stops the scan without an event for the gateway.
    func switchScanOffUnseen() {
        transport.controller.receive(
            HCICommand.scanEnable(false, .legacy).packet, at: now)
        _ = transport.controller.takeOutput()
    }

    /// Resets the controller before the gateway opens it.
    func resetUnseen() {
        transport.controller.receive(HCICommand.reset.packet, at: now)
        _ = transport.controller.takeOutput()
    }

    /// Advances the time from one deadline to the next.
    func run(seconds: Double) {
        let end = now.advanced(byMicroseconds: Int64(seconds * 1_000_000))
        var stuck = 0
        while true {
            let due =
                [supervisor?.deadline, powerEnd, audible.isEmpty ? nil : nextBeat]
                .compactMap(\.self).min() ?? end
            guard due <= end else { break }
            stuck = due <= now ? stuck + 1 : 0
            guard stuck < 100 else {
                Issue.record("busy loop")
                break
            }
            now = max(now, due)
            step()
        }
        now = end
    }

    /// Runs until the condition is true, and returns the seconds; `nil` if it never is.
    func run(
        atMost seconds: Int, until condition: (RecoveryGateway) -> Bool
    ) -> Double? {
        let start = now
        for _ in 0..<seconds * 10 {
            if condition(self) { return Double(now.microseconds(since: start)) / 1_000_000 }
            run(seconds: 0.1)
        }
        return nil
    }

    /// Stops the radio and takes its last batches.
    func finish() { supervisor?.finish(at: now) }

    private func step() {
        visits += 1
        transport.now = now
        if nextBeat <= now {
            transport.controller.advance(to: now)
            transport.controller.hear(audible.map(advertisement))
            nextBeat = now.advanced(byMicroseconds: Self.beat)
        }
        // The controller answers immediately: read until it has sent everything.
        var sent = -1
        while sent != transport.sent.count {
            sent = transport.sent.count
            guard let supervisor else { return }
            do throws(RadioFailure) { try supervisor.update(at: now) } catch { continue }
        }
    }

    private func advertisement(_ minor: UInt16) -> Advertisement {
        Advertisement(
            time: now, sender: DeviceAddress(address: UInt64(minor), type: 0),
            kind: .nonConnectable, data: Advertisements.iBeacon(minor), rssi: RSSI(dBm: -60))
    }

    /// The kernel's commands to an adapter that comes up.
    private func kernelSetsUp() {
        for command in [HCICommand.reset, .setEventMask, .leSetEventMask] {
            transport.controller.receive(command.packet, at: now)
        }
        _ = transport.controller.takeOutput()
    }

    // MARK: - The adapter's power

    private final class Cycle: PowerCycle {
        let descriptor: CInt? = nil
        private let ask: () -> Result<Void, Errno>?
        init(_ ask: @escaping () -> Result<Void, Errno>?) { self.ask = ask }
        func outcome() -> Result<Void, Errno>? { ask() }
    }

    private final class Arrivals: AdapterArrivals {
        let descriptor: CInt = -1
        var hasArrived = false
        func take() -> Bool {
            defer { hasArrived = false }
            return hasArrived
        }
    }

    private func beginPowerOn() -> any PowerCycle {
        powerCycles += 1
        let outcome = powerOutcome
        return Cycle { [unowned self] in
            if case .success = outcome {
                failure = nil
                // The kernel notifies the agent of what it has done itself.
                arrivals.hasArrived = true
            }
            return outcome
        }
    }

    private func begin() -> any PowerCycle {
        powerCycles += 1
        let end = now.advanced(byMicroseconds: 500_000)
        powerEnd = end
        return Cycle { [unowned self] in
            guard now >= end else { return nil }
            powerEnd = nil
            if case .success = powerOutcome {
                transport.controller.powerCycle()
                kernelSetsUp()
            }
            return powerOutcome
        }
    }
}

extension RecoveryGateway {
    /// Expects batches that follow one another without a gap.
    func expectContiguous() {
        for (batch, next) in zip(batches, batches.dropFirst()) {
            #expect(batch.interval.end == next.interval.start)
            #expect(batch.interval.microseconds > 0)
        }
    }
}

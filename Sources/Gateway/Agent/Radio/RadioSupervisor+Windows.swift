import Beacons
import Posix
import Primitives
import Radio
import Sightings

/// The labels and settings of windows, and the counters.
extension RadioSupervisor {
    /// The radio hears while it scans, unless the recovery policy knows that the scan delivers nothing.
    func updateHearing(at now: Instant) {
        setHearing(radio?.isScanning == true && !recovery.isSilent, at: now)
    }

    func setHearing(_ isHearing: Bool, at now: Instant) {
        listener.setHearing(isHearing, at: now) { state, clock in
            let first = Windows(
                windows, from: now, alignment: clock.offset, state: state,
                seed: HashSeed(Random.word(), Random.word()))
            return Listener(
                first, Batcher(batches), references: ReferenceWatch(recovery.references))
        }
    }

    func applyWindows(at now: Instant) {
        listener.apply(windows, batches, at: now)
    }

    var windows: Windows.Settings {
        let settings = advertising.settings
        let own = OwnBeacon(
            address: radio?.ownAddress,
            identities: DesiredAdvertising(settings.advertise).advertising?.identities ?? [])
        return Windows.Settings(settings, maxIdentities: maxIdentities, own: own)
    }

    var batches: Batcher.Settings { Batcher.Settings(advertising.settings.report) }

    /// When deafness becomes a degradation; `nil` while the radio hears.
    var degradedAt: Instant? { listener.deafSince.map { $0 + Self.deafnessTolerance } }

    /// Reads the kernel's and the controller's counters, once a window and before the radio is closed.
    func readRadio(at now: Instant) {
        guard let radio else { return }
        listener.countDropped(packets: radio.takeDrops(), at: now)
        health.interferences = formerInterferences + radio.interferences
    }

    /// Reads the kernel's counter before the fragments of extended advertising, which are not joined after a loss.
    func readDrops(at now: Instant) {
        guard let radio, radio.family == .extended else { return }
        listener.countDropped(packets: radio.takeDrops(), at: now)
    }

    func readCounters(at now: Instant) {
        readRadio(at: now)
        health.lastReport = listener.lastReport
        checkWallClock(at: now)
    }

    func updateHealth(at now: Instant) {
        health.counts = listener.counts
        health.eddystone = listener.eddystone
        health.isHearing = listener.isHearing
        health.isSettled = latestAttempt != nil
        health.steps = recovery.counts
        health.isDegraded =
            recovery.isRecovering || latestAttempt == .failed
            || degradedAt.map { $0 <= now } ?? false
        recovery.observe(isFaulty: !health.isHearing, at: now)
        if let radio { health.scanDutyPercent = radio.timing.percent }
        if let address = radio?.ownAddress { health.usesRandomAddress = address.isRandom }
        health.clockSteps = listener.clock.steps
        health.isClockSynchronised = listener.clock.isSynchronised
    }
}

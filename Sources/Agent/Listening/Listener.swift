import Beacons
import HCI
import Primitives
import Sightings

/// From an HCI event to batches: reads the reports, counts them into windows, cuts the windows into messages.
///
/// Live or replayed, every advertisement walks through here.
package struct Listener {
    private var windows: Windows
    private var batcher: Batcher
    /// When the latest report was counted.
    package private(set) var lastReport: Instant?
    /// Heard whatever the filter keeps out.
    package private(set) var references: ReferenceWatch

    package init(
        _ windows: Windows, _ batcher: Batcher, references: ReferenceWatch = ReferenceWatch()
    ) {
        self.windows = windows
        self.batcher = batcher
        self.references = references
    }

    /// Other beacons must always be heard from now on.
    package mutating func watch(_ identities: [BeaconIdentity], at instant: Instant) {
        references = ReferenceWatch(identities, after: references, at: instant)
    }

    /// When the open window ends.
    package var deadline: Instant { windows.deadline }

    /// Counts every report of an advertising event; windows that end before it go to `emit`.
    package mutating func hear(_ event: Bytes, at instant: Instant, emit: (Batch) -> Void) {
        guard var reports = AdvertisingReports(event: event) else { return }
        do throws(AdvertisingReports.Malformed) {
            // Most events have one report: they need not ask for a second.
            while reports.remaining > 0, let report = try reports.next(in: event) {
                pass(to: instant, emit: emit)
                count(report, of: event, at: instant)
            }
        } catch {
            pass(to: instant, emit: emit)
            windows.countMalformed(at: instant)
            lastReport = instant
        }
    }

    /// Closes the windows that end at `instant` or before.
    @inline(__always)
    package mutating func pass(to instant: Instant, emit: (Batch) -> Void) {
        if instant >= windows.deadline { close(upTo: instant, emit) }
    }

    private mutating func close(upTo instant: Instant, _ emit: (Batch) -> Void) {
        while let window = windows.close(upTo: instant) { batcher.on(window).forEach(emit) }
    }

    /// The radio began or ceased to hear, or the wall clock was set.
    package mutating func turn(
        _ state: RadioState? = nil, alignment: Int64? = nil, at instant: Instant,
        emit: (Batch) -> Void
    ) {
        pass(to: instant, emit: emit)
        if let window = windows.turn(state, alignment: alignment, at: instant) {
            batcher.on(window).forEach(emit)
        }
    }

    /// What is wanted, or what the gateway itself has on the air, has changed: the open window ends early, the next one
    /// is the first with the new settings. Nothing happens where nothing differs; `maxIdentities` stays as it was.
    package mutating func retune(
        windows wanted: Windows.Settings, batches: Batcher.Settings, at instant: Instant,
        emit: (Batch) -> Void
    ) {
        let keepsWindows = windows.isTuned(to: wanted)
        guard !keepsWindows || batches != batcher.settings else { return }
        pass(to: instant, emit: emit)
        if !keepsWindows, let window = windows.turn(settings: wanted, at: instant) {
            batcher.on(window).forEach(emit)
        }
        // Silence goes out in either case: a message about two widths or two filters would be true of neither.
        batcher.retune(batches).forEach(emit)
    }

    /// Packets were lost on this side of the radio.
    package mutating func lose(packets: Int) { windows.countDropped(packets) }

    /// Ends the open window: at `instant`, or at its full width where the source has come to its end.
    package mutating func finish(at instant: Instant? = nil, emit: (Batch) -> Void) {
        if let instant { pass(to: instant, emit: emit) }
        if let window = windows.finish(at: instant) { batcher.on(window).forEach(emit) }
        batcher.flush().forEach(emit)
    }

    @inline(__always)
    private mutating func count(
        _ report: AdvertisingReport, of event: Bytes, at instant: Instant
    ) {
        lastReport = instant
        do throws(AdvertisingData.Malformed) {
            guard let beacon = try IBeacon(advertisingData: event.extracting(report.data)) else {
                return windows.countOther(at: instant)
            }
            windows.count(beacon, rssi: report.rssi, from: report.sender, at: instant)
            references.hear(beacon.identity, at: instant)
        } catch {
            windows.countMalformed(at: instant)
        }
    }
}

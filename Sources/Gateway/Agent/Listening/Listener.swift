import Beacons
import HCI
import Primitives
import Sightings

/// Turns HCI events into batches: reads the reports, counts them in windows, and divides the windows into messages.
///
/// Live and replayed reports both pass through it.
package struct Listener {
    private var windows: Windows
    private var batcher: Batcher
    private var reassembly = Reassembly()
    /// The formats that are looked for. A report of another format counts as no beacon.
    private var formats: BeaconFormats
    /// The time of the latest report.
    package private(set) var lastReport: Instant?
    /// Since the start. They are in no window.
    package private(set) var eddystone = EddystoneCounts()
    /// The reference beacons, which no filter hides.
    package private(set) var references: ReferenceWatch

    package init(
        _ windows: Windows, _ batcher: Batcher, references: ReferenceWatch = ReferenceWatch()
    ) {
        self.windows = windows
        self.batcher = batcher
        self.references = references
        formats = Self.formats(of: windows, references)
    }

    /// Those of the filter, and iBeacons where some are references.
    private static func formats(of windows: Windows, _ references: ReferenceWatch) -> BeaconFormats
    {
        let formats = windows.settings.filter.formats
        return references.isEmpty ? formats : formats.union(.iBeacon)
    }

    package mutating func setReferences(_ identities: [BeaconIdentity], at instant: Instant) {
        references = ReferenceWatch(identities, after: references, at: instant)
        formats = Self.formats(of: windows, references)
    }

    /// When the open window ends.
    package var deadline: Instant { windows.deadline }

    /// Counts the reports of an event; ignores events without reports.
    package mutating func process(
        _ event: Bytes, at instant: Instant, emit: (Batch) -> Void
    ) {
        guard let reports = AdvertisingReports(event: event) else { return }
        process(reports, of: event, at: instant, emit: emit)
    }

    /// Counts the reports of an event. The windows that end before it go to `emit`.
    @inline(__always)
    package mutating func process(
        _ reports: AdvertisingReports, of event: Bytes, at instant: Instant, emit: (Batch) -> Void
    ) {
        var reports = reports
        do throws(AdvertisingReports.Malformed) {
            // Most events have one report: the loop does not read a second one.
            while reports.remaining > 0, let report = try reports.next(in: event) {
                advance(to: instant, emit: emit)
                count(report, of: event, at: instant)
            }
        } catch {
            advance(to: instant, emit: emit)
            windows.countMalformed(at: instant)
            lastReport = instant
        }
    }

    /// Closes the windows that end at `instant` or before.
    @inline(__always)
    package mutating func advance(to instant: Instant, emit: (Batch) -> Void) {
        if instant >= windows.deadline { close(upTo: instant, emit) }
    }

    private mutating func close(upTo instant: Instant, _ emit: (Batch) -> Void) {
        while let window = windows.close(upTo: instant) { batcher.on(window).forEach(emit) }
    }

    /// Ends the open window: the radio has started or stopped to hear, or the wall clock was set.
    ///
    /// - Parameter isOpenEnded: whether the next window lasts until the next turn, not until the next boundary.
    package mutating func turn(
        _ state: RadioState? = nil, alignment: Duration? = nil, at instant: Instant,
        isOpenEnded: Bool = false, emit: (Batch) -> Void
    ) {
        advance(to: instant, emit: emit)
        if let window = windows.turn(
            state, alignment: alignment, at: instant, isOpenEnded: isOpenEnded)
        {
            batcher.on(window).forEach(emit)
        }
    }

    /// Applies changed settings: the open window ends, and the next one uses them. `maxIdentities` never changes.
    package mutating func apply(
        windows settings: Windows.Settings, batches: Batcher.Settings, at instant: Instant,
        emit: (Batch) -> Void
    ) {
        let keepsWindows = windows.isTuned(to: settings)
        guard !keepsWindows || batches != batcher.settings else { return }
        advance(to: instant, emit: emit)
        if !keepsWindows, let window = windows.turn(settings: settings, at: instant) {
            batcher.on(window).forEach(emit)
        }
        formats = Self.formats(of: windows, references)
        // A message of silence must not span two widths or two filters.
        batcher.retune(batches).forEach(emit)
    }

    /// Counts packets that this host has dropped.
    package mutating func countDropped(packets: Int, at instant: Instant) {
        windows.countDropped(packets)
        if packets > 0 { reassembly.packetsDropped(at: instant) }
    }

    /// Ends the open window: at `instant`, or at its full width for a source that has ended.
    package mutating func finish(at instant: Instant? = nil, emit: (Batch) -> Void) {
        if let instant { advance(to: instant, emit: emit) }
        if let window = windows.finish(at: instant) { batcher.on(window).forEach(emit) }
        batcher.flush().forEach(emit)
    }

    @inline(__always)
    private mutating func count(
        _ report: AdvertisingReport, of event: Bytes, at instant: Instant
    ) {
        lastReport = instant
        let content =
            report.setID == AdvertisingReport.noSet
            ? Content(event.extracting(report.data), formats, isTruncated: false)
            : join(report, of: event, at: instant)
        switch content {
        case .beacon(let frame):
            windows.count(frame, rssi: report.rssi, from: report.sender, at: instant)
            references.record(frame.identity, at: instant)
        case .anonymous(let anonymous, let frame):
            note(anonymous, from: report.sender, at: instant)
            count(frame, of: report, at: instant)
        case .other: windows.countOther(at: instant)
        case .malformed: windows.countMalformed(at: instant)
        case .fragment: windows.countFragment(at: instant)
        }
    }

    /// Counts the report of an anonymous frame, beside which a beacon's may be.
    @inline(never)
    private mutating func count(
        _ frame: BeaconFrame?, of report: AdvertisingReport, at instant: Instant
    ) {
        guard let frame else { return windows.countOther(at: instant) }
        windows.count(frame, rssi: report.rssi, from: report.sender, at: instant)
        references.record(frame.identity, at: instant)
    }

    @inline(never)
    private mutating func note(
        _ frame: Eddystone.Anonymous, from sender: DeviceAddress, at instant: Instant
    ) {
        switch frame {
        case .telemetry(let telemetry): windows.note(telemetry, from: sender, at: instant)
        case .url: eddystone.urls += 1
        case .ephemeral: eddystone.ephemeral += 1
        }
    }

    @inline(never)
    private mutating func join(
        _ report: AdvertisingReport, of event: Bytes, at instant: Instant
    ) -> Content {
        // An advertisement counts with the fragment that completes its beacon, or with its last one.
        let formats = formats
        return reassembly.join(report, of: event, at: instant) { data, extent in
            let content = Content(data, formats, isTruncated: extent != .whole)
            return switch (extent, content) {
            case (.beginning, .other): nil
            default: content
            }
        } ?? .fragment
    }
}

extension Listener {
    /// The content of advertising data, as the windows count it.
    private enum Content {
        case beacon(BeaconFrame)
        /// With the beacon in the same data, if there is one. Indirect, since few reports have it.
        indirect case anonymous(Eddystone.Anonymous, BeaconFrame?)
        case other
        case malformed
        /// A part of an advertisement that another fragment counts, or none.
        case fragment

        /// - Parameter isTruncated: whether the controller has left out the end of the data.
        @inline(__always)
        init(_ data: Bytes, _ formats: BeaconFormats, isTruncated: Bool) {
            var hasEddystone = false
            do throws(AdvertisingData.Malformed) {
                let frame = try BeaconFrame(
                    advertisingData: data, of: formats, hasEddystone: &hasEddystone)
                self = frame.map { .beacon($0) } ?? .other
            } catch {
                self = isTruncated ? .other : .malformed
            }
            if hasEddystone { addAnonymous(in: data) }
        }

        /// Not inlined: few reports have a frame of Eddystone. What stands before a fault counts, as with a beacon.
        @inline(never)
        private mutating func addAnonymous(in data: Bytes) {
            guard let anonymous = Eddystone.Anonymous(advertisingData: data) else { return }
            if case .beacon(let frame) = self {
                self = .anonymous(anonymous, frame)
            } else {
                self = .anonymous(anonymous, nil)
            }
        }
    }
}

/// Reports with Eddystone frames that name no beacon to everybody.
package struct EddystoneCounts: Equatable, BitwiseCopyable, Sendable {
    /// Eddystone-URL frames.
    package var urls = 0
    /// Eddystone-EID frames: rotating identities.
    package var ephemeral = 0

    package init() {}
}

/// The beacons that must always be heard, and the time of the latest report of each.
package struct ReferenceWatch: Sendable {
    private let identities: [BeaconIdentity]
    private var heard: [Instant?]

    /// - Parameter identities: a few: the watch compares each report with all of them.
    package init(_ identities: [BeaconIdentity] = []) {
        self.identities = identities
        heard = identities.map { _ in nil }
    }

    /// A changed list. Former references keep their times; the silence of new ones starts at `now`.
    init(_ identities: [BeaconIdentity], after former: ReferenceWatch, at now: Instant) {
        self.identities = identities
        heard = identities.map { identity in
            let index = former.identities.firstIndex(of: identity)
            return index.map { former.heard[$0] } ?? now
        }
    }

    var isEmpty: Bool { identities.isEmpty }

    /// When the reference with the longest silence was heard; `nil` until all references were heard once.
    package var longestSilent: Instant? {
        var earliest: Instant?
        for moment in heard {
            guard let moment else { return nil }
            earliest = min(moment, earliest ?? moment)
        }
        return earliest
    }

    @inline(__always)
    package mutating func record(_ identity: BeaconIdentity, at instant: Instant) {
        guard !identities.isEmpty else { return }
        for index in identities.indices where identities[index] == identity {
            heard[index] = instant
        }
    }
}

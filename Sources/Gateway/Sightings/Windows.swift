import Beacons
import Primitives

/// Cuts reports into windows.
///
/// Windows end at multiples of their width on the source's clock plus `alignment`: the windows of
/// all gateways line up. They follow each other without a gap.
///
/// A window ends early when the radio begins or ceases to hear and when settings change. Each
/// window has one radio state, one width, one filter and one own identity.
package struct Windows {
    /// After a longer gap between two reports, the windows begin again: the source did not run for more than a day.
    package static let longestGap: Duration = .seconds(86_400)

    /// The shortest window: messages have milliseconds, and no window starts and ends in the same one.
    package static let shortest: Duration = .milliseconds(1)

    /// The settings of the windows.
    package private(set) var settings: Settings
    /// The gateway's own address, or one that no report has: a comparison of two integers tells.
    private var ownAddress: DeviceAddress
    /// The own identities before the latest change. After a retune, their reports may still be in a queue.
    private var formerIdentities: [BeaconIdentity] = []
    /// The difference from the source's clock to UTC.
    private var alignment: Duration
    private var table: SightingTable
    private var limit: SightingLimit
    private var telemetry = SenderTelemetry()
    private var radio = RadioCounts()
    private var state = RadioState.hearing
    /// Whether the settings or the clock changed when the open window began.
    private var isRetuned = false
    private var start: Instant
    /// When the open window ends, if nothing ends it early.
    package private(set) var deadline: Instant
    private var latest: Instant

    /// Opens the first window.
    ///
    /// - Parameters:
    ///   - instant: when the source began.
    ///   - aligned: whether that window reaches back to its aligned start (a capture) or begins at
    ///     `instant` (a radio).
    ///   - crowd: the number of identities from which reports are counted in groups, because the
    ///     caches hold fewer.
    package init(
        _ settings: Settings, from instant: Instant, alignment: Duration = .zero,
        aligned: Bool = false,
        state: RadioState = .hearing, seed: HashSeed, crowd: Int = 4096
    ) {
        self.settings = settings
        ownAddress = Self.ownAddress(in: settings)
        self.alignment = alignment
        self.state = state
        table = SightingTable(capacity: settings.maxIdentities, seed: seed, crowd: crowd)
        limit = SightingLimit(seed: seed)
        latest = instant
        let boundary = Self.boundary(before: instant, settings.width, alignment)
        start = aligned ? boundary : instant
        deadline = boundary + settings.width
    }

    /// Closes the open window if it ends at `instant` or before; call until it returns `nil`, then `count`.
    package mutating func close(upTo instant: Instant) -> Window? {
        guard instant >= deadline else { return nil }
        let window = close(at: deadline)
        if instant - start > Self.longestGap { open(at: instant, aligned: true) }
        return window
    }

    /// Counts the report of a beacon. If the source's clock steps back, the latest time counts.
    package mutating func count(
        _ frame: BeaconFrame, rssi: RSSI, from sender: DeviceAddress, at instant: Instant
    ) {
        countOther(at: instant)
        guard sender != ownAddress || !isOwn(frame.identity) else { return }
        guard rssi.isPlausible else {
            radio.implausible += 1
            return
        }
        guard settings.filter.admits(frame.identity) else {
            radio.filtered += 1
            return
        }
        table.add(
            SightingTable.Report(frame: frame, rssi: rssi, sender: sender, instant: latest),
            counting: &radio)
    }

    /// Keeps telemetry. Its report is counted as that of a beacon, or as another one.
    package mutating func note(
        _ telemetry: Eddystone.Telemetry, from sender: DeviceAddress, at instant: Instant
    ) {
        self.telemetry.note(telemetry, from: sender, at: max(latest, instant))
    }

    /// Counts a report that is well-formed, but of no beacon of a published format.
    @inline(__always)
    package mutating func countOther(at instant: Instant) {
        if latest < instant { latest = instant }
        radio.reports += 1
    }

    /// Counts a report that is malformed.
    package mutating func countMalformed(at instant: Instant) {
        countOther(at: instant)
        radio.malformed += 1
    }

    /// Counts a report with a part of an advertisement that it does not complete.
    package mutating func countFragment(at instant: Instant) {
        countOther(at: instant)
        radio.fragments += 1
    }

    /// Counts packets that the kernel dropped.
    package mutating func countDropped(_ packets: Int) { radio.dropped += packets }

    /// Closes the open window early after a change of the radio state, the clock or the settings.
    ///
    /// - Parameters:
    ///   - settings: the new settings. `maxIdentities` keeps its first value.
    ///   - isOpenEnded: whether the next window lasts until the next turn, not until the next boundary.
    /// - Returns: `nil` if the window is too short and has no counts. The next window then has its start.
    package mutating func turn(
        _ state: RadioState? = nil, alignment: Duration? = nil, settings: Settings? = nil,
        at instant: Instant, isOpenEnded: Bool = false
    ) -> Window? {
        let window = cut(at: instant)
        self.state = state ?? self.state
        self.alignment = alignment ?? self.alignment
        if settings != nil || alignment != nil { isRetuned = true }
        if let settings { tune(to: settings) }
        open(at: start, aligned: false)
        if isOpenEnded { deadline = Instant(microseconds: .max) }
        return window
    }

    /// Whether these settings are in force already. The bound of identities does not change.
    package func isTuned(to settings: Settings) -> Bool {
        self.settings == bounded(settings)
    }

    /// Whether a beacon from the own address is the gateway's own.
    private func isOwn(_ identity: BeaconIdentity) -> Bool {
        settings.own?.identities.contains(identity) == true || formerIdentities.contains(identity)
    }

    private mutating func tune(to settings: Settings) {
        let former = self.settings.own?.identities ?? []
        if former != settings.own?.identities ?? [] { formerIdentities = former }
        self.settings = bounded(settings)
        ownAddress = Self.ownAddress(in: settings)
    }

    private func bounded(_ settings: Settings) -> Settings {
        var settings = settings
        settings.maxIdentities = self.settings.maxIdentities
        return settings
    }

    /// Address types have eight bits (Core 5.4 Vol 4 Part E 7.7.65.2): no device has an address of
    /// 64 set bits.
    private static func ownAddress(in settings: Settings) -> DeviceAddress {
        settings.own?.address ?? DeviceAddress(rawValue: .max)
    }

    /// Closes the last window: at `instant`, or at its full width for a source that has ended.
    ///
    /// - Returns: `nil` if the window is too short and has no counts.
    package mutating func finish(at instant: Instant? = nil) -> Window? {
        cut(at: instant ?? deadline)
    }

    /// Ends the open window early. A window with counts lasts the shortest time: the next one may have another state.
    private mutating func cut(at instant: Instant) -> Window? {
        let moment = max(instant, latest)
        let earliest = start + Self.shortest
        guard moment < earliest else { return close(at: min(moment, deadline)) }
        return radio == RadioCounts() ? nil : close(at: min(earliest, deadline))
    }

    private mutating func close(at moment: Instant) -> Window {
        let sightings = limit.apply(
            settings.maxSightings, to: table.take(&telemetry, counting: &radio, at: moment),
            counting: &radio, at: moment)
        var window = Window(
            interval: Interval(start: start, end: moment), state: state, isRetuned: isRetuned,
            radio: radio, sightings: sightings)
        isRetuned = false
        for own in settings.own?.identities ?? [] { window.markEcho(of: own) }
        radio = RadioCounts()
        latest = max(latest, moment)
        start = moment
        deadline = moment + settings.width
        return window
    }

    private mutating func open(at instant: Instant, aligned: Bool) {
        let boundary = Self.boundary(before: instant, settings.width, alignment)
        start = aligned ? boundary : instant
        deadline = boundary + settings.width
        latest = max(latest, start)
    }

    /// The latest multiple of `width`, on UTC, that is not after `instant`.
    private static func boundary(
        before instant: Instant, _ width: Duration, _ alignment: Duration
    ) -> Instant {
        let width = width.microseconds
        let remainder = (instant + alignment).microseconds % width
        return instant.advanced(byMicroseconds: -(remainder < 0 ? remainder + width : remainder))
    }
}

extension Windows {
    package struct Settings: Equatable, Sendable {
        /// A window's width; at least a microsecond.
        package var width: Duration
        /// Identities followed in one window; the reports of further ones are counted as `untracked`.
        package var maxIdentities: Int
        /// Sightings of one window; the reports of further ones are counted as `untracked`. 0 for all.
        package var maxSightings: Int
        package var filter: BeaconFilter
        /// The gateway's own beacon; `nil` while the gateway does not advertise.
        package var own: OwnBeacon?

        package init(
            width: Duration = .seconds(1), maxIdentities: Int = 100_000, maxSightings: Int = 0,
            filter: BeaconFilter = BeaconFilter(), own: OwnBeacon? = nil
        ) {
            self.width = max(width, .microseconds(1))
            self.maxIdentities = maxIdentities
            self.maxSightings = maxSightings
            self.filter = filter
            self.own = own
        }
    }
}

/// The gateway's own beacon: a report of its identities from `address` is not a visitor.
package struct OwnBeacon: Equatable, Sendable {
    /// The controller's address; `nil` if it is unknown. A neighbour may have the same address.
    package var address: DeviceAddress?
    /// The advertised identities, one a format. A sighting of one from another address is an echo.
    package var identities: [BeaconIdentity]

    package init(address: DeviceAddress? = nil, identities: [BeaconIdentity] = []) {
        self.address = address
        self.identities = identities
    }
}

import Beacons

@testable import Sightings

/// The windows of a stream by a simple model, which keeps all reports and calculates at the end.
struct WindowsModel {
    struct Report {
        var instant: Int64
        var kind: Windows.Report
    }

    struct Expected {
        var start: Int64
        var end: Int64
        var state: RadioState
        var settings: Windows.Settings
        /// The own identities before the latest change.
        var formerIdentities: [BeaconIdentity]
        var reports: [Report]
        var dropped: Int
    }

    private(set) var settings: Windows.Settings
    var alignment: Int64
    var state: RadioState
    private(set) var closed: [Expected] = []
    private var start: Int64
    private var reports: [Report] = []
    private var dropped = 0
    private var latest: Int64
    private var formerIdentities: [BeaconIdentity] = []

    init(
        _ settings: Windows.Settings, alignment: Int64, from start: Int64, aligned: Bool,
        state: RadioState
    ) {
        self.settings = settings
        self.alignment = alignment
        self.state = state
        latest = start
        self.start = start
        if aligned { self.start = self.end(after: start) - settings.width.microseconds }
    }

    /// The first multiple of the width, on UTC, that is later than `time`.
    private func end(after time: Int64) -> Int64 {
        let utc = time + alignment
        let width = settings.width.microseconds
        var index = utc / width - 2
        while index * width <= utc { index += 1 }
        return index * width - alignment
    }

    mutating func pass(to time: Int64) {
        while true {
            let end = end(after: start)
            guard end <= time else { return }
            close(at: end)
            if time - end > Windows.longestGap.microseconds {
                start = self.end(after: time) - settings.width.microseconds
            }
        }
    }

    mutating func count(_ kind: Windows.Report, at time: Int64) {
        pass(to: time)
        latest = max(latest, time)
        reports.append(Report(instant: latest, kind: kind))
    }

    mutating func drop(_ packets: Int) { dropped += packets }

    mutating func turn(
        _ state: RadioState?, _ alignment: Int64?, _ settings: Windows.Settings?, at time: Int64
    ) {
        pass(to: time)
        endEarly(at: time)
        self.state = state ?? self.state
        self.alignment = alignment ?? self.alignment
        if let settings {
            self.settings.width = settings.width
            self.settings.filter = settings.filter
            let own = self.settings.own?.identities ?? []
            if own != settings.own?.identities ?? [] { formerIdentities = own }
            self.settings.own = settings.own
        }
    }

    mutating func finish(at time: Int64?) {
        if let time { pass(to: time) }
        endEarly(at: time ?? end(after: start))
    }

    /// A window of less than a millisecond is longer if it has counts, and none if it has not.
    private mutating func endEarly(at time: Int64) {
        var moment = max(time, latest)
        if moment - start < 1000 {
            if reports.isEmpty, dropped == 0 { return }
            moment = min(start + 1000, end(after: start))
        }
        close(at: moment)
    }

    private mutating func close(at end: Int64) {
        closed.append(
            Expected(
                start: start, end: end, state: state, settings: settings,
                formerIdentities: formerIdentities, reports: reports, dropped: dropped))
        reports = []
        dropped = 0
        start = end
        latest = max(latest, end)
    }
}

import HCI
import Primitives

/// What a host has set in a controller, and a reset puts back.
struct LinkState: Sendable {
    /// Everything of a plain old controller; not the LE Meta event, bit 61 (Core 5.4 Vol 4 Part E 7.3.1).
    var eventMask: UInt64 = 0x1fff_ffff_ffff
    /// The first five LE events; not the extended advertising report, bit 12 (7.8.1).
    var leEventMask: UInt64 = 0x1f
    /// The command family that was used first.
    var family: CommandFamily?
    var randomAddress: UInt64?
    /// Address and type, as in `DeviceAddress`.
    var acceptList: Set<UInt64> = []
    var scan = ScanState()
    /// What the legacy commands advertise.
    var advertising = AdvertisingSet()
    /// What the extended commands advertise, by handle.
    var sets: [UInt8: AdvertisingSet] = [:]

    var isAdvertising: Bool { advertising.isEnabled || sets.values.contains { $0.isEnabled } }

    mutating func switchAdvertisingOff() {
        advertising.isEnabled = false
        for handle in sets.keys { sets[handle]?.isEnabled = false }
    }
}

/// How a controller scans.
struct ScanState: Sendable {
    /// Units of 0.625 ms (7.8.10).
    var interval: UInt16 = 0x10
    var window: UInt16 = 0x10
    var ownAddressType: UInt8 = 0
    var filterPolicy: UInt8 = 0
    var isEnabled = false
    var filtersDuplicates = false
    /// Whether the filter forgets at each new period.
    var forgetsDuplicates = false
    /// When it was switched on.
    var start = Instant(microseconds: 0)
    /// How long it lasts at a time, and how often it begins again; zero for without end.
    var duration: Duration = .zero
    var period: Duration = .zero
    private var periodOfSeen: Int64 = 0
    private var seen: Set<UInt64> = []

    /// A real controller's memory for duplicates is not large either.
    private static let seenRoom = 1024

    /// Whether the receiver is on at `time`.
    func listens(at time: Instant) -> Bool {
        let since = time.microseconds(since: start)
        guard isEnabled, since >= 0 else { return false }
        if duration > .zero {
            let present = period > .zero ? since % period.microseconds : since
            if present >= duration.microseconds { return false }
        }
        // 0.625 ms are 625 µs.
        return since % (Int64(interval) * 625) < Int64(window) * 625
    }

    /// The bit of the channel that it listens to at `time`: each in its turn, for an interval.
    func channel(at time: Instant) -> UInt8 {
        let turn = max(0, time.microseconds(since: start)) / max(1, Int64(interval) * 625)
        return 1 << UInt8(turn % 3)
    }

    /// Whether the duplicate filter lets this sender through.
    mutating func isNew(_ sender: UInt64, at time: Instant) -> Bool {
        guard filtersDuplicates else { return true }
        if forgetsDuplicates, period > .zero {
            let present = time.microseconds(since: start) / period.microseconds
            if present != periodOfSeen { seen = [] }
            periodOfSeen = present
        }
        if seen.count >= Self.seenRoom { seen = [] }
        return seen.insert(sender).inserted
    }

    mutating func forgetSenders() {
        seen = []
        periodOfSeen = 0
    }
}

import Beacons
import HCI
import Primitives

/// Advertising reports to the host.
extension SimulatedController {
    private enum Packing {
        /// Reports that come so soon one after the other share an event.
        static let time: Duration = .microseconds(2500)
        /// Parameter bytes of an event.
        static let room = 255
        /// Subevent code and number of reports.
        static let header = 2
        /// The most reports in one event (Core 5.4 Vol 4 Part E 7.7.65.2).
        static let reports = 25
    }

    /// Reports advertisements of other devices, which come in the order of time; those that a real receiver would
    /// have missed are missed.
    package mutating func hear(_ advertisements: [Advertisement]) {
        var event = ReportEvent()
        for advertisement in advertisements where isReported(advertisement) {
            let report =
                link.family == .extended
                ? Self.extendedReport(advertisement) : Self.legacyReport(advertisement)
            let isFull =
                Packing.header + event.bytes.count + report.count > Packing.room
                || event.count == Packing.reports
            if isFull || advertisement.time - event.start > Packing.time {
                emit(event)
                event = ReportEvent(start: advertisement.time)
            }
            event.count += 1
            event.bytes += report
            event.identities.append(advertisement.identity)
        }
        emit(event)
    }

    /// The event packet of one legacy report, from its event code on.
    static func event(of advertisement: Advertisement) -> [UInt8] {
        let report = legacyReport(advertisement)
        // The length, behind it the subevent and the number of reports.
        let header = [Event.Code.leMeta, UInt8(Packing.header + report.count)]
        return header + [Event.LESubevent.advertisingReport, 1] + report
    }

    /// Reports that are to go out together.
    private struct ReportEvent {
        var start = Instant(microseconds: 0)
        var count: UInt8 = 0
        var bytes: [UInt8] = []
        var identities: [BeaconIdentity?] = []
    }

    private mutating func emit(_ event: ReportEvent) {
        guard event.count > 0 else { return }
        let subevent =
            link.family == .extended
            ? Event.LESubevent.extendedAdvertisingReport : Event.LESubevent.advertisingReport
        guard link.eventMask >> 61 & 1 == 1, link.leEventMask >> UInt64(subevent - 1) & 1 == 1
        else { return }
        emit(leEvent: subevent, [event.count] + event.bytes)
        for identity in event.identities { delivered[identity, default: 0] += 1 }
    }

    private mutating func isReported(_ advertisement: Advertisement) -> Bool {
        guard link.scan.listens(at: advertisement.time), !trouble.isMute(at: advertisement.time)
        else { return false }
        if advertisement.channels & link.scan.channel(at: advertisement.time) == 0,
            advertisement.channels != 7
        {
            return false
        }
        let sender = advertisement.sender.rawValue
        if link.scan.filterPolicy & 1 == 1, !link.acceptList.contains(sender) { return false }
        return link.scan.isNew(sender, at: advertisement.time)
    }

    /// Event type, address type, address, data with their length, RSSI (7.7.65.2).
    private static func legacyReport(_ advertisement: Advertisement) -> [UInt8] {
        let (type, address) = split(advertisement.sender)
        let data = advertisement.data.prefix(31)
        var report: [UInt8] = []
        report.reserveCapacity(10 + data.count)
        report += [advertisement.kind.rawValue, type]
        report += address
        report.append(UInt8(data.count))
        report += data
        report.append(UInt8(bitPattern: advertisement.rssi.dBm))
        return report
    }

    /// The same as a legacy PDU in an extended report (7.7.65.13).
    private static func extendedReport(_ advertisement: Advertisement) -> [UInt8] {
        let (type, address) = split(advertisement.sender)
        let data = advertisement.data.prefix(31)
        var report: [UInt8] = []
        report.reserveCapacity(24 + data.count)
        report += advertisement.kind.extendedBits.littleEndianBytes
        report.append(type)
        report += address
        // LE 1M, secondary channel and advertising SID absent, transmission power unknown.
        report += [0x01, 0x00, 0xff, 0x7f, UInt8(bitPattern: advertisement.rssi.dBm)]
        // No periodic advertising, not directed.
        report += [0, 0, 0, 0, 0, 0, 0, 0, 0]
        report.append(UInt8(data.count))
        report += data
        return report
    }

    private static func split(_ sender: DeviceAddress) -> (type: UInt8, address: [UInt8]) {
        let bytes = sender.rawValue.littleEndianBytes
        return (bytes[6], Array(bytes.prefix(6)))
    }
}

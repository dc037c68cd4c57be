import Beacons
import Primitives

/// One advertising report of an event.
package struct AdvertisingReport {
    /// The PDU type of a legacy report, or the property bits of an extended one.
    package let eventType: UInt16
    /// The number of the advertising set, or `noSet`.
    package let setID: UInt8
    package let sender: DeviceAddress
    package let rssi: RSSI
    /// The range of the advertising data in the event packet.
    package let data: Range<Int>

    /// A legacy PDU belongs to no advertising set. Its data are always complete.
    package static let noSet: UInt8 = 0xff
}

/// Iterates over the reports of an advertising event, legacy (Core 5.4 Vol 4 Part E 7.7.65.2) or extended (7.7.65.13).
///
/// Reports follow each other, as every controller sends them. An old text of the specification describes columns.
package struct AdvertisingReports: Equatable {
    /// A report needs more bytes than the event has left. The reports before it are valid.
    package struct Malformed: Error, Equatable {
        package let offset: Int
    }

    /// Offsets in a legacy report, which ends with the RSSI.
    private enum Legacy {
        static let sender = 1
        static let dataLength = 8
        static let data = 9
    }

    /// Offsets in an extended report, which has its RSSI before the data.
    private enum Extended {
        static let sender = 2
        static let setID = 11
        static let rssi = 13
        static let dataLength = 23
        static let data = 24
    }

    private let isExtended: Bool
    private let end: Int
    /// The number of reports left, according to the event.
    package private(set) var remaining: UInt8
    private var offset = 4

    /// Reads the event's header; `nil` if the packet is no advertising event.
    @inline(__always)
    package init?(event: Bytes) {
        guard event.count >= 4, event[0] == Event.Code.leMeta else { return nil }
        switch event[2] {
        case Event.LESubevent.advertisingReport: isExtended = false
        case Event.LESubevent.extendedAdvertisingReport: isExtended = true
        default: return nil
        }
        end = min(event.count, Event.headerCount + Int(event[1]))
        guard end >= 4 else { return nil }
        remaining = event[3]
    }

    /// The next report of `event`, which must be the same packet for every call; `nil` after the last report.
    @inline(__always)
    package mutating func next(in event: Bytes) throws(Malformed) -> AdvertisingReport? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        return isExtended ? try nextExtended(in: event) : try nextLegacy(in: event)
    }

    @inline(__always)
    private mutating func nextLegacy(in event: Bytes) throws(Malformed) -> AdvertisingReport {
        let rest = event.extracting(offset..<end)
        guard rest.count >= Legacy.data else { throw malformed() }
        let dataEnd = Legacy.data + Int(rest[Legacy.dataLength])
        guard dataEnd < rest.count else { throw malformed() }
        let start = offset
        offset += dataEnd + 1
        return AdvertisingReport(
            eventType: UInt16(rest[0]), setID: AdvertisingReport.noSet,
            sender: Self.sender(in: rest, at: Legacy.sender),
            rssi: RSSI(dBm: Int8(bitPattern: rest[dataEnd])),
            data: start + Legacy.data..<start + dataEnd)
    }

    @inline(__always)
    private mutating func nextExtended(in event: Bytes) throws(Malformed) -> AdvertisingReport {
        let rest = event.extracting(offset..<end)
        guard rest.count >= Extended.data else { throw malformed() }
        let dataEnd = Extended.data + Int(rest[Extended.dataLength])
        guard dataEnd <= rest.count else { throw malformed() }
        let start = offset
        offset += dataEnd
        return AdvertisingReport(
            eventType: rest.littleEndian16(at: 0), setID: rest[Extended.setID],
            sender: Self.sender(in: rest, at: Extended.sender),
            rssi: RSSI(dBm: Int8(bitPattern: rest[Extended.rssi])),
            data: start + Extended.data..<start + dataEnd)
    }

    /// Ends the iteration: a truncated report hides the start of the next one.
    private mutating func malformed() -> Malformed {
        remaining = 0
        return Malformed(offset: offset)
    }

    /// Reads the address type and the six bytes of the address in one load.
    @inline(__always)
    private static func sender(in report: Bytes, at offset: Int) -> DeviceAddress {
        let word = report.littleEndian64(at: offset)
        return DeviceAddress(address: word >> 8, type: UInt8(truncatingIfNeeded: word))
    }
}

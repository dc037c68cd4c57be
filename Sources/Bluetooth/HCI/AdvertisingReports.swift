import Beacons
import Primitives

/// One advertising report of an event.
package struct AdvertisingReport {
    /// What was received: PDU type of a legacy report, property bits of an extended one.
    package let eventType: UInt16
    package let sender: DeviceAddress
    package let rssi: RSSI
    /// Where the advertising data lie in the event packet.
    package let data: Range<Int>
}

/// A walk over the reports of an advertising event, legacy (Core 5.4 Vol 4 Part E 7.7.65.2) or extended (7.7.65.13).
///
/// Reports stand one behind the other, as every controller sends them, not in columns as an old text suggests.
package struct AdvertisingReports {
    /// A report claims more bytes than the event has left; those before it were good.
    package struct Malformed: Error, Equatable {
        package let offset: Int
    }

    /// Offsets in a legacy report; its RSSI stands behind the data.
    private enum Legacy {
        static let sender = 1
        static let dataLength = 8
        static let data = 9
    }

    /// Offsets in an extended report; its RSSI stands before the data.
    private enum Extended {
        static let sender = 2
        static let rssi = 13
        static let dataLength = 23
        static let data = 24
    }

    private let isExtended: Bool
    private let end: Int
    /// Reports that are still to come, by the event's own word.
    package private(set) var remaining: UInt8
    private var offset = 4

    /// Begins a walk; `nil` when the packet is no advertising event.
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

    /// The next report of `event`, which must be the same at every step; `nil` after the last.
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
            eventType: UInt16(rest[0]), sender: Self.sender(in: rest, at: Legacy.sender),
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
            eventType: rest.littleEndian16(at: 0),
            sender: Self.sender(in: rest, at: Extended.sender),
            rssi: RSSI(dBm: Int8(bitPattern: rest[Extended.rssi])),
            data: start + Extended.data..<start + dataEnd)
    }

    /// What comes after a report that is cut short can't be found.
    private mutating func malformed() -> Malformed {
        remaining = 0
        return Malformed(offset: offset)
    }

    /// The address type and the six bytes of the address, read at once with the byte that follows them.
    @inline(__always)
    private static func sender(in report: Bytes, at offset: Int) -> DeviceAddress {
        let word = report.littleEndian64(at: offset)
        return DeviceAddress(address: word >> 8, type: UInt8(truncatingIfNeeded: word))
    }
}

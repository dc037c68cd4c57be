import Beacons
import HCI
import Primitives

/// One advertising report, copied out of its event and read.
struct Report {
    let isExtended: Bool
    let eventType: UInt16
    let sender: DeviceAddress
    let rssi: RSSI
    /// The range of its advertising data in the event packet.
    let data: Range<Int>
    /// The iBeacon that the agent counts.
    let beacon: IBeacon?
    let structures: [AdvertisedStructure]
    /// The offset of a truncated AD structure in the event packet.
    let malformedAt: Int?
    /// The agent counts it as malformed: it has no iBeacon before the truncated structure.
    let isMalformed: Bool

    var pdu: PDU { PDU(eventType: eventType, isExtended: isExtended) }

    init(_ report: AdvertisingReport, isExtended: Bool, in event: Bytes) {
        self.isExtended = isExtended
        eventType = report.eventType
        sender = report.sender
        rssi = report.rssi
        data = report.data
        let bytes = event.extracting(report.data)
        let walk = AdvertisedStructure.walk(bytes)
        structures = walk.structures
        malformedAt = walk.malformed.map { $0 + report.data.lowerBound }
        do throws(AdvertisingData.Malformed) {
            beacon = try IBeacon(advertisingData: bytes)
            isMalformed = false
        } catch {
            beacon = nil
            isMalformed = true
        }
    }
}

/// An advertising event's reports.
struct EventReports {
    let isExtended: Bool
    private(set) var reports: [Report] = []
    /// The offset of a truncated report in the event packet. The reports before it are valid.
    private(set) var malformedAt: Int?

    /// `nil` for any other event.
    init?(_ event: Bytes) {
        guard var walk = AdvertisingReports(event: event) else { return nil }
        isExtended = event[2] == Event.LESubevent.extendedAdvertisingReport
        do throws(AdvertisingReports.Malformed) {
            while let report = try walk.next(in: event) {
                reports.append(Report(report, isExtended: isExtended, in: event))
            }
        } catch {
            malformedAt = error.offset
        }
    }
}

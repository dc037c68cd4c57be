import Beacons
import HCI
import JSON
import Primitives
import Terminal

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
    /// It is a part of an advertisement that another part completes, or none.
    let isFragment: Bool

    var pdu: PDU { PDU(eventType: eventType, isExtended: isExtended) }

    /// - Parameter reassembly: has the earlier fragments of the report's advertisement.
    init(
        _ report: AdvertisingReport, isExtended: Bool, in event: Bytes,
        _ reassembly: inout Reassembly, at time: Instant
    ) {
        self.isExtended = isExtended
        eventType = report.eventType
        sender = report.sender
        rssi = report.rssi
        data = report.data
        let content =
            report.setID == AdvertisingReport.noSet
            ? Content(event.extracting(report.data), isTruncated: false)
            : reassembly.join(report, of: event, at: time) { data, extent in
                let content = Content(data, isTruncated: extent != .whole)
                return extent == .beginning && content.beacon == nil ? nil : content
            }
        isFragment = content == nil
        structures = content?.structures ?? []
        // Of joined fragments, the offset is in none of the events.
        malformedAt = content?.malformedAt.map {
            min($0, report.data.count) + report.data.lowerBound
        }
        beacon = content?.beacon
        isMalformed = content?.isMalformed ?? false
    }
}

/// The content of advertising data.
private struct Content {
    let beacon: IBeacon?
    let structures: [AdvertisedStructure]
    let malformedAt: Int?
    let isMalformed: Bool

    /// - Parameter isTruncated: whether the controller has left out the end of the data.
    init(_ data: Bytes, isTruncated: Bool) {
        let walk = AdvertisedStructure.walk(data)
        structures = walk.structures
        malformedAt = isTruncated ? nil : walk.malformed
        do throws(AdvertisingData.Malformed) {
            beacon = try IBeacon(advertisingData: data)
            isMalformed = false
        } catch {
            beacon = nil
            isMalformed = !isTruncated
        }
    }
}

/// An advertising event's reports.
struct EventReports {
    let isExtended: Bool
    private(set) var reports: [Report] = []
    /// The offset of a truncated report in the event packet. The reports before it are valid.
    private(set) var malformedAt: Int?

    /// Reads an event by itself; `nil` if it has no reports.
    init?(_ event: Bytes) {
        var reassembly = Reassembly()
        self.init(event, &reassembly, at: Instant(microseconds: 0))
    }

    /// Reads an event of a capture; `nil` if it has no reports.
    ///
    /// - Parameter reassembly: has the fragments of earlier events.
    init?(_ event: Bytes, _ reassembly: inout Reassembly, at time: Instant) {
        guard var walk = AdvertisingReports(event: event) else { return nil }
        isExtended = event[2] == Event.LESubevent.extendedAdvertisingReport
        do throws(AdvertisingReports.Malformed) {
            while let report = try walk.next(in: event) {
                reports.append(
                    Report(report, isExtended: isExtended, in: event, &reassembly, at: time))
            }
        } catch {
            malformedAt = error.offset
        }
    }
}

extension Report {
    /// The report on one line.
    func line(at time: Instant) -> String {
        let signal = rssi.isAvailable ? "\(rssi.dBm) dBm" : "no RSSI"
        var phrases = structures.map(\.phrase)
        if data.isEmpty { phrases = ["no data"] }
        if isFragment { phrases.append("a part of longer data") }
        if malformedAt != nil { phrases.append("MALFORMED: a structure is cut short") }
        if !rssi.isPlausible { phrases.append("IMPLAUSIBLE RSSI") }
        return [
            UTCTime(time).stamp, pdu.name.padded(15), signal.rightAligned(8),
            AddressKind(sender).rawValue.padded(22), phrases.joined(separator: "; "),
        ].joined(separator: "  ")
    }

    /// The report for programs; `at` is in milliseconds.
    func json(at time: Instant) -> JSON {
        .object(
            [
                .init("type", .string("report")),
                .init("at", .integer(time.milliseconds)),
                .init("pdu", .string(pdu.name)), .init("extended", .bool(isExtended)),
            ] + (rssi.isAvailable ? [.init("rssi", .integer(Int(rssi.dBm)))] : []) + [
                .init("address", .string(AddressKind(sender).rawValue)),
                .init("structures", .array(structures.map(\.json))),
                .init("malformed", .bool(malformedAt != nil)),
                .init("implausible", .bool(!rssi.isPlausible)),
            ] + (isFragment ? [.init("fragment", .bool(true))] : []))
    }
}

extension EventReports {
    /// The line of a truncated report.
    func malformedLine(offset: Int, at time: Instant) -> String {
        "\(UTCTime(time).stamp)  MALFORMED: the report at byte \(offset) of its event is cut short"
    }

    func malformedJSON(offset: Int, at time: Instant) -> JSON {
        .object([
            .init("type", .string("report")),
            .init("at", .integer(time.milliseconds)),
            .init("extended", .bool(isExtended)), .init("malformed", .bool(true)),
            .init("malformedAt", .integer(offset)),
        ])
    }
}

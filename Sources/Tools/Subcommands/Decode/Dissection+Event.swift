import Beacons
import HCI
import Primitives

extension Dissection {
    private var event: [UInt8] { Array(bytes[min(base, bytes.count)...]) }

    /// Reads an event packet without the H4 type.
    mutating func readEvent() {
        let event = event
        guard event.count >= 2 else {
            note("the event ends at byte \(bytes.count), before its length")
            return
        }
        add(0, 1, "event", Self.name(ofEvent: event[0]))
        add(1, 1, "length", count(Int(event[1]), "byte"))
        let excess = event.count - 2 - Int(event[1])
        if excess < 0 {
            note(
                "byte \(base + 1) promises \(count(Int(event[1]), "byte")),"
                    + " but the packet ends at byte \(bytes.count), \(-excess) too early")
        }
        switch event[0] {
        case Event.Code.leMeta: readLEMeta(event)
        default: readOther(event)
        }
        if excess > 0 {
            add(event.count - excess, 0, "beyond", "\(count(excess, "byte")), ignored")
        }
    }

    private mutating func readLEMeta(_ event: [UInt8]) {
        guard event.count >= 3 else { return }
        add(2, 1, "subevent", Self.name(ofSubevent: event[2]))
        guard let reports = event.withBytes({ EventReports($0) }) else {
            if event.count < 4 {
                note("the event ends at byte \(bytes.count), before its reports")
            }
            return
        }
        add(3, 1, "reports", String(event[3]))
        var end = 4
        for (index, report) in reports.reports.enumerated() {
            if event[3] > 1 {
                add(report.start, 0, "– report \(index + 1)", "", isShown: false)
            }
            end = report.isExtended ? addExtended(report) : addLegacy(report)
        }
        if let offset = reports.malformedAt {
            let number = reports.reports.count + 1
            note(
                "report \(number) of \(event[3]), which begins at byte \(base + offset),"
                    + " is cut short by the event's end")
        } else {
            let parametersEnd = min(event.count, 2 + Int(event[1]))
            if end < parametersEnd {
                add(end, 0, "left over", count(parametersEnd - end, "byte"))
            }
        }
    }

    /// - Returns: where the report ends.
    private mutating func addLegacy(_ report: Report) -> Int {
        let start = report.start
        add(start, 1, "PDU", report.pdu.name)
        addSender(report, typeAt: start + 1)
        add(start + 8, 1, "data length", count(report.data.count, "byte"))
        readAdvertisingData(report.data)
        addRSSI(report, at: report.data.upperBound)
        return report.data.upperBound + 1
    }

    /// - Returns: where the report ends.
    private mutating func addExtended(_ report: Report) -> Int {
        let start = report.start
        let field = event
        add(start, 2, "PDU", report.pdu.name)
        addSender(report, typeAt: start + 2)
        add(start + 9, 1, "primary PHY", Self.phy(field[start + 9]))
        add(start + 10, 1, "secondary PHY", Self.phy(field[start + 10]))
        let set = field[start + 11]
        add(start + 11, 1, "advertising set", set == 0xff ? "none" : String(set))
        let power = Int8(bitPattern: field[start + 12])
        add(start + 12, 1, "TX power", power == 127 ? "not available" : "\(power) dBm")
        addRSSI(report, at: start + 13)
        let interval = Int(field[start + 14]) | Int(field[start + 15]) << 8
        add(
            start + 14, 2, "periodic",
            interval == 0 ? "no" : "every \((Double(interval) * 1.25).tenths) ms")
        add(start + 16, 7, "direct address", "not shown", isShown: false)
        add(start + 23, 1, "data length", count(report.data.count, "byte"))
        readAdvertisingData(report.data)
        return report.data.upperBound
    }

    private mutating func addSender(_ report: Report, typeAt offset: Int) {
        add(offset, 1, "address type", AddressKind(report.sender).rawValue)
        add(offset + 1, 6, "address", "not shown", isShown: false)
    }

    private mutating func addRSSI(_ report: Report, at offset: Int) {
        let remark = report.rssi.isPlausible ? "" : ", implausible"
        add(
            offset, 1, "RSSI",
            report.rssi.isAvailable ? "\(report.rssi.dBm) dBm\(remark)" : "not available")
    }

    private mutating func readOther(_ event: [UInt8]) {
        do throws(Event.Malformed) {
            let read = try event.withBytes { bytes throws(Event.Malformed) in try Event(bytes) }
            switch read {
            case .commandComplete(let opcode, let credits, let answer):
                add(2, 1, "credits", String(credits))
                add(3, 2, "opcode", "\(opcode)")
                guard !answer.isEmpty else { return }
                let status = HCIStatus(rawValue: event[answer.lowerBound])
                add(5, 1, "status", "\(status)")
                guard answer.count > 1 else { return }
                if opcode == .readDeviceAddress, answer.count == 7 {
                    let isNone = event[answer].dropFirst().allSatisfy { $0 == 0 }
                    return add(
                        6, 6, "address",
                        isNone ? AddressKind.none.rawValue : "public, not shown", isShown: isNone)
                }
                // An answer can contain other numbers of the adapter.
                add(6, 0, "answer", count(answer.count - 1, "byte"), isShown: false)
            case .commandStatus(let opcode, let credits, let status):
                add(2, 1, "status", "\(status)")
                add(3, 1, "credits", String(credits))
                add(4, 2, "opcode", "\(opcode)")
            case .hardwareError(let code): add(2, 1, "code", String(code))
            case .advertisingReports, .other: break
            }
        } catch {
            note("the event ends at byte \(base + error.offset), before its last field")
        }
    }

    private static func phy(_ number: UInt8) -> String {
        switch number {
        case 0: "none"
        case 1: "LE 1M"
        case 2: "LE 2M"
        case 3: "LE Coded"
        default: "PHY \(number)"
        }
    }

    private static func name(ofEvent code: UInt8) -> String {
        switch code {
        case Event.Code.leMeta: "LE Meta"
        case Event.Code.commandComplete: "Command Complete"
        case Event.Code.commandStatus: "Command Status"
        case Event.Code.hardwareError: "Hardware Error"
        default: "unknown event"
        }
    }

    private static func name(ofSubevent code: UInt8) -> String {
        switch code {
        case Event.LESubevent.advertisingReport: "LE Advertising Report"
        case Event.LESubevent.extendedAdvertisingReport: "LE Extended Advertising Report"
        default: "unknown subevent"
        }
    }
}

extension Report {
    /// Where it begins in the event packet: 9 bytes before its data, or 24 in an extended report.
    fileprivate var start: Int { data.lowerBound - (isExtended ? 24 : 9) }
}

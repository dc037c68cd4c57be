import Primitives

/// The PDU of a report by its event type (Core 5.4 Vol 4 Part E 7.7.65.2, 7.7.65.13).
struct PDU: Equatable {
    /// The name in the specification, or the properties: `ADV_IND`, `extended connectable`.
    let name: String

    init(eventType: UInt16, isExtended: Bool) {
        name =
            if !isExtended {
                Self.legacyNames[eventType] ?? "event type \(Hexadecimal.number(eventType))"
            } else if eventType & Bits.legacy != 0 {
                Self.legacyNamesInExtendedReports[eventType & 0x1f]
                    ?? "event type \(Hexadecimal.number(eventType))"
            } else {
                Self.extendedName(eventType)
            }
    }

    private enum Bits {
        static let legacy: UInt16 = 0x10
        /// 1: more data to come, 2: truncated.
        static let dataStatus: UInt16 = 0x60
    }

    private static let legacyNames: [UInt16: String] = [
        0x00: "ADV_IND", 0x01: "ADV_DIRECT_IND", 0x02: "ADV_SCAN_IND", 0x03: "ADV_NONCONN_IND",
        0x04: "SCAN_RSP",
    ]

    private static let legacyNamesInExtendedReports: [UInt16: String] = [
        0x13: "ADV_IND", 0x15: "ADV_DIRECT_IND", 0x12: "ADV_SCAN_IND", 0x10: "ADV_NONCONN_IND",
        0x1a: "SCAN_RSP", 0x1b: "SCAN_RSP",
    ]

    private static func extendedName(_ eventType: UInt16) -> String {
        let properties = ["connectable", "scannable", "directed", "scan response"]
        var words = properties.indices.filter { eventType & 1 << UInt16($0) != 0 }
            .map { properties[$0] }
        switch eventType & Bits.dataStatus {
        case 0x20: words.append("more to come")
        case 0x40: words.append("truncated")
        default: break
        }
        return (["extended"] + words).joined(separator: " ")
    }
}

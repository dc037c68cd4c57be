import Beacons

/// The kind of an advertiser's address. The output shows no other part of an address.
enum AddressKind: String, CaseIterable, Hashable {
    case `public` = "public"
    case randomStatic = "random static"
    case resolvable = "resolvable private"
    case nonResolvable = "non-resolvable private"
    case reserved = "random of a reserved kind"
    case anonymous = "anonymous"
    case unknown = "of an unknown type"
    /// The sender's controller has no public address, and its host has given it no other one.
    case none = "none (00:00:00:00:00:00)"

    /// Core 5.4 Vol 6 Part B 1.3, and the address types of Vol 4 Part E 7.7.65.13.
    init(_ address: DeviceAddress) {
        switch address.rawValue >> 48 & 0xff {
        case 0x00, 0x02: self = address.isZero ? .none : .public
        case 0x01, 0x03:
            switch address.rawValue >> 46 & 3 {
            case 0b11: self = .randomStatic
            case 0b01: self = .resolvable
            case 0b00: self = .nonResolvable
            default: self = .reserved
            }
        case 0xff: self = .anonymous
        default: self = .unknown
        }
    }
}

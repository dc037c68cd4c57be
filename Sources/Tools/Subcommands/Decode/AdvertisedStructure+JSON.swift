import Beacons
import JSON
import Primitives
import Terminal

extension AdvertisedStructure {
    /// The structure for programs: `type` and `length` as advertised, and the known content.
    var json: JSON {
        .object(
            [
                .init("type", .integer(Int(type))), .init("name", .string(name)),
                .init("length", .integer(count)),
            ] + contentMembers)
    }

    private var contentMembers: [JSON.Member] {
        switch content {
        case .flags(let flags): return [.init("flags", .integer(Int(flags)))]
        case .name(let isComplete): return [.init("complete", .bool(isComplete))]
        case .txPower(let power): return [.init("txPowerDbm", .integer(Int(power)))]
        case .services(let services):
            let numbers = services.map { JSON.string(Hexadecimal.number($0)) }
            return [.init("services", .array(numbers))]
        case .iBeacon(let beacon):
            return [
                .init("uuid", .string("\(beacon.identity.uuid)")),
                .init("major", .integer(Int(beacon.identity.major))),
                .init("minor", .integer(Int(beacon.identity.minor))),
                .init("measuredPower", .integer(Int(beacon.measuredPower))),
            ]
        case .altBeacon(let beacon):
            return [
                .init("company", .string(Hexadecimal.number(beacon.company))),
                .init("identifier", .string("\(beacon.identity)")),
                .init("referencePower", .integer(Int(beacon.referencePower))),
            ]
        case .eddystone(let frame): return frame.members
        case .cutIBeacon:
            return [
                .init("company", .string(Hexadecimal.number(Self.apple))),
                .init("appleType", .integer(2)),
                .init("missingBytes", .integer(Int(IBeacon.dataCount - count))),
            ]
        case .manufacturer(let company, let appleType):
            let member = JSON.Member("company", .string(Hexadecimal.number(company)))
            return [member] + (appleType.map { [.init("appleType", .integer(Int($0)))] } ?? [])
        case .serviceData(let service):
            return [.init("service", .string(Hexadecimal.number(service)))]
        case .other: return []
        }
    }
}

extension Eddystone {
    fileprivate var members: [JSON.Member] {
        switch self {
        case .uid(let uid):
            [
                .init("namespace", .string(uid.identity.hexadecimal(0..<10))),
                .init("instance", .string(uid.identity.hexadecimal(10..<16))),
                .init("powerAt0m", .integer(Int(uid.power))),
            ]
        case .url(let url, let power):
            [.init("url", .string(url)), .init("powerAt0m", .integer(Int(power)))]
        case .telemetry(let telemetry):
            [
                .init("millivolts", telemetry.millivolts.map { .integer(Int($0)) } ?? .null),
                .init(
                    "temperature",
                    telemetry.temperature.map { .number(Double($0) / 256) } ?? .null),
                .init("advertisements", .integer(Int(telemetry.advertisements))),
                .init("uptimeMs", .integer(Int(telemetry.uptime) * 100)),
            ]
        case .encryptedTelemetry: []
        case .ephemeral(let identifier, let power):
            [
                .init("ephemeral", .string(Hexadecimal.text(identifier))),
                .init("powerAt0m", .integer(Int(power))),
            ]
        }
    }
}

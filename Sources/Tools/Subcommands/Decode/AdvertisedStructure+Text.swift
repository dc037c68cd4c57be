import Beacons
import Primitives

extension AdvertisedStructure {
    /// The name of the type by the specification, or of the beacon format.
    var name: String {
        switch content {
        case .iBeacon: "iBeacon"
        case .altBeacon: "AltBeacon"
        case .eddystone(let frame): "Eddystone-\(frame.kind)"
        case .manufacturer, .cutIBeacon: "Manufacturer Specific Data"
        case .serviceData: "Service Data"
        default: ADType.name(of: type) ?? "AD type 0x\(Hexadecimal.text([type]))"
        }
    }

    /// The content as text; `nil` for unknown and private content.
    var meaning: String? {
        switch content {
        case .flags(let flags): Self.meaning(ofFlags: flags)
        case .name: "\(count) bytes, not shown"
        case .txPower(let power): "\(power) dBm"
        case .services(let services): services.map(Hexadecimal.number).joined(separator: " ")
        case .iBeacon(let beacon):
            "\(beacon.identity.uuid) major \(beacon.identity.major) minor \(beacon.identity.minor)"
                + " measured power \(beacon.measuredPower) dBm"
        case .cutIBeacon:
            "no iBeacon: \(count) bytes of \(IBeacon.dataCount), so "
                + (count == IBeacon.dataCount - 1
                    ? "the measured power is missing" : "the end is missing")
        case .altBeacon(let beacon):
            "\(beacon.identity) company \(Self.company(beacon.company))"
                + " reference power \(beacon.referencePower) dBm"
        case .eddystone(let frame): frame.meaning
        case .manufacturer(let company, let appleType):
            Self.company(company)
                + (appleType.map { ", type 0x\(Hexadecimal.text([$0]))" } ?? "")
                + ", " + Primitives.count(count - 2, "byte")
        case .serviceData(let service):
            "service \(Hexadecimal.number(service)), " + Primitives.count(count - 2, "byte")
        case .other: Primitives.count(count, "byte")
        }
    }

    /// Name and meaning.
    var phrase: String { meaning.map { "\(name) \($0)" } ?? name }

    static func company(_ number: UInt16) -> String {
        companies[number].map { "\(Hexadecimal.number(number)) (\($0))" }
            ?? Hexadecimal.number(number)
    }

    private static func meaning(ofFlags flags: UInt8) -> String {
        let names = [
            "LE Limited Discoverable", "LE General Discoverable", "no BR/EDR",
            "LE and BR/EDR Controller", "LE and BR/EDR Host",
        ]
        let set = names.indices.filter { flags & 1 << UInt8($0) != 0 }.map { names[$0] }
        return "0x\(Hexadecimal.text([flags]))"
            + (set.isEmpty ? "" : " (" + set.joined(separator: ", ") + ")")
    }

    /// The companies that are common beside beacons, of many thousands.
    private static let companies: [UInt16: String] = [
        0x0006: "Microsoft", 0x004c: "Apple", 0x0059: "Nordic Semiconductor", 0x0075: "Samsung",
        0x00e0: "Google", 0x0118: "Radius Networks", 0x015d: "Estimote", 0x0499: "Ruuvi",
    ]
}

extension Eddystone {
    /// The frame's name.
    var kind: String {
        switch self {
        case .uid: "UID"
        case .url: "URL"
        case .telemetry: "TLM"
        case .encryptedTelemetry: "eTLM"
        case .ephemeral: "EID"
        }
    }

    var meaning: String? {
        switch self {
        case .uid(let uid):
            "namespace \(uid.identity.hexadecimal(0..<10))"
                + " instance \(uid.identity.hexadecimal(10..<16)) power \(uid.power) dBm at 0 m"
        case .url(let url, let power): "\(url), power \(power) dBm at 0 m"
        case .telemetry(let telemetry): telemetry.meaning
        case .encryptedTelemetry: nil
        case .ephemeral(let identifier, let power):
            "\(Hexadecimal.text(identifier)) power \(power) dBm at 0 m"
        }
    }
}

extension Eddystone.Telemetry {
    var meaning: String {
        let battery = millivolts.map { "\($0) mV" } ?? "no battery voltage"
        let degrees = temperature.map { "\((Double($0) / 256).tenths) °C" } ?? "no temperature"
        return "\(battery), \(degrees), \(count(advertisements, "advertisement"))"
            + " in \(Duration.milliseconds(Int64(uptime) * 100).text)"
    }
}

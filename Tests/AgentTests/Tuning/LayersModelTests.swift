import Beacons
import Contract
import HCI
import JSON
import TestVectors
import Testing

@Suite struct LayersModelTests {
    /// A message and its meaning by construction.
    private struct Sent {
        let payload: [UInt8]
        let arrival: LayersModel.Arrival
        var bytes: Int { payload.count }
    }

    private struct Generator {
        var random: SeededGenerator
        var version: [Topics.Layer: Int64] = [:]

        static let uuids = [
            #""e2c56db5-dffb-48d2-b060-d0f5a71096e0""#, #""8deefbb9-f738-4297-8040-96668bb44281""#,
        ]

        mutating func next(for layer: Topics.Layer) -> Sent {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return Sent(payload: [], arrival: .removal)
            case 1: return Sent(payload: garbage(), arrival: .wrong)
            case 2:
                return Sent(
                    payload: [UInt8](repeating: 0x20, count: 65_537), arrival: .wrong)
            case 3, 4: return halfValid(layer)
            default: return valid(layer)
            }
        }

        private mutating func garbage() -> [UInt8] {
            let count = Int.random(in: 1..<200, using: &random)
            // Never an object, so always invalid.
            return [0xff]
                + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }

        private mutating func number(_ layer: Topics.Layer) -> Int64 {
            // Mostly the next version, sometimes a later or an earlier one.
            let last = version[layer] ?? 0
            let step = [1, 1, 1, 1, 5, 0, -1].randomElement(using: &random) ?? 1
            let next = max(1, last + Int64(step))
            version[layer] = max(last, next)
            return next
        }

        private mutating func valid(_ layer: Topics.Layer) -> Sent {
            let version = number(layer)
            let sections = patch()
            let text = Self.text(version, sections)
            return Sent(
                payload: Array(text.utf8),
                arrival: .document(.init(version: version, patch: .object(sections))))
        }

        private mutating func halfValid(_ layer: Topics.Layer) -> Sent {
            var sections = patch()
            let faults: [(String, String, String)] = [
                ("advertise", "major", "70000"), ("advertise", "minor", "-1"),
                ("advertise", "uuid", #""e2c5""#), ("advertise", "intervalMs", "19"),
                ("advertise", "enabled", "1"), ("advertise", "mayor", "1"),
                ("report", "windowMs", "150"), ("filter", "uuids", "[1]"),
                ("mqtt", "host", #""h""#),
            ]
            guard let (section, key, value) = faults.randomElement(using: &random) else {
                return valid(layer)
            }
            var members: [String: LayersModel.Value] = [:]
            if case .object(let old)? = sections[section] { members = old }
            members[key] = .leaf(value)
            sections[section] = .object(members)
            return Sent(payload: Array(Self.text(number(layer), sections).utf8), arrival: .wrong)
        }

        private mutating func patch() -> [String: LayersModel.Value] {
            var sections: [String: LayersModel.Value] = [:]
            for section in ["advertise", "report", "filter"] where Bool.random(using: &random) {
                if Int.random(in: 0..<10, using: &random) == 0 {
                    sections[section] = .null
                    continue
                }
                var members: [String: LayersModel.Value] = [:]
                for (key, values) in Self.choices(section) where Bool.random(using: &random) {
                    let text = values.randomElement(using: &random) ?? "null"
                    members[key] = text == "null" ? .null : .leaf(text)
                }
                sections[section] = .object(members)
            }
            return sections
        }

        private static func choices(_ section: String) -> [(String, [String])] {
            switch section {
            case "advertise":
                [
                    ("enabled", ["true", "false", "null", "null"]),
                    ("uuid", uuids + ["null"]), ("major", ["0", "42", "65535", "null"]),
                    ("minor", ["1", "7", "9", "null"]), ("measuredPower", ["-127", "20", "null"]),
                    ("intervalMs", ["100", "200", "1285", "10240", "null"]),
                    ("txPowerDbm", ["0", "4", "null"]), ("keepOnExit", ["true", "false", "null"]),
                ]
            case "report":
                [
                    ("windowMs", ["500", "2000", "null"]), ("maxSilenceMs", ["0", "5000", "null"]),
                    ("maxSightingsPerMessage", ["1", "10000", "null"]),
                ]
            default: [("uuids", ["[]", "[\(uuids[0])]", "[\(uuids[0]),\(uuids[1])]", "null"])]
            }
        }

        private static func text(
            _ version: Int64, _ sections: [String: LayersModel.Value]
        ) -> String {
            let members = sections.map { #""\#($0)":\#(text($1))"# }
            return "{" + ([#""version":\#(version)"#] + members).joined(separator: ",") + "}"
        }

        private static func text(_ value: LayersModel.Value) -> String {
            switch value {
            case .null: "null"
            case .leaf(let text): text
            case .object(let members):
                "{" + members.map { #""\#($0)":\#(text($1))"# }.joined(separator: ",") + "}"
            }
        }
    }

    @Test(
        "report and advertising match the model after each of 1,000 documents",
        arguments: [CommandFamily.legacy, .extended])
    func thousand(family: CommandFamily) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = Generator(random: SeededGenerator(seed: seed))
        var model = LayersModel()
        var gateway = try TunedGateway(family: family)
        var retained: [Topics.Layer: Sent] = [:]
        gateway.settle()
        for count in 1...1000 {
            let layer = Topics.Layer.allCases.randomElement(using: &generator.random) ?? .fleet
            let sent = generator.next(for: layer)
            retained[layer] = sent.payload.isEmpty ? nil : sent
            deliver(sent, of: layer, to: gateway, &model)
            gateway.run(
                milliseconds: [0, 1, 50, 150, 1200].randomElement(using: &generator.random) ?? 0)
            guard count % 7 == 0 else { continue }
            gateway.run(milliseconds: 2500)
            try compare(gateway, model, family)
            guard count % 49 == 0 else { continue }
            // After a restart the saved layers are in force, and the broker delivers its documents again.
            gateway = try TunedGateway(restored: gateway.disk, family: family)
            gateway.settle()
            model.restart()
            try compare(gateway, model, family)
            for (layer, sent) in retained { deliver(sent, of: layer, to: gateway, &model) }
            gateway.settle()
            try compare(gateway, model, family)
        }
        #expect(model.taken.count > 0)
    }

    private func deliver(
        _ sent: Sent, of layer: Topics.Layer, to gateway: TunedGateway, _ model: inout LayersModel
    ) {
        if sent.bytes > LayerDocument.maxBytes {
            gateway.receiveOversized(layer, bytes: sent.bytes)
        } else {
            gateway.receive(sent.payload, of: layer)
        }
        model.receive(sent.arrival, of: layer)
    }

    private func compare(
        _ gateway: TunedGateway, _ model: LayersModel, _ family: CommandFamily
    ) throws {
        let report = gateway.report
        #expect(report.status == (model.isApplied ? .applied : .rejected))
        #expect(report.errors.isEmpty == model.isApplied)
        for layer in Topics.Layer.allCases {
            #expect(report.versions[layer] == model.taken[layer]?.version)
        }
        let effective = model.effective
        #expect(Self.flat(report.effective) == effective)
        let isOnAir = effective["advertise.enabled"] == "true"
        #expect(report.radio.advertising == isOnAir)
        guard isOnAir else {
            #expect(gateway.onAir == nil)
            return
        }
        let onAir = try #require(gateway.onAir)
        #expect(try onAir.data == Self.data(effective))
        let milliseconds = try #require(effective["advertise.intervalMs"].flatMap(Double.init))
        let units = UInt32((milliseconds * 1.6).rounded())
        #expect(onAir.interval == units...units)
        #expect(report.radio.intervalMs == Double(units) * 0.625)
        let power = effective["advertise.txPowerDbm"].flatMap(Int.init)
        if family == .legacy { #expect(report.radio.txPowerDbm == nil) }
        if family == .extended, let power { #expect(report.radio.txPowerDbm == power) }
    }

    private static func data(_ effective: [String: String]) throws -> [UInt8] {
        let uuid = try #require(
            effective["advertise.uuid"].flatMap { ProximityUUID(String($0.dropFirst().dropLast())) }
        )
        let major = try #require(effective["advertise.major"].flatMap(UInt16.init))
        let minor = try #require(effective["advertise.minor"].flatMap(UInt16.init))
        let power = try #require(effective["advertise.measuredPower"].flatMap(Int8.init))
        let head: [UInt8] = [0x02, 0x01, 0x1a, 0x1a, 0xff, 0x4c, 0x00, 0x02, 0x15]
        let high = (0..<8).map { UInt8(truncatingIfNeeded: uuid.high >> UInt64(56 - 8 * $0)) }
        let low = (0..<8).map { UInt8(truncatingIfNeeded: uuid.low >> UInt64(56 - 8 * $0)) }
        let numbers = [
            UInt8(major >> 8), UInt8(major & 255), UInt8(minor >> 8), UInt8(minor & 255),
        ]
        return head + high + low + numbers + [UInt8(bitPattern: power)]
    }

    private static func flat(_ json: JSON) -> [String: String] {
        guard case .object(let sections) = json else { return [:] }
        var all: [String: String] = [:]
        for section in sections {
            guard case .object(let members) = section.value else { continue }
            for member in members { all["\(section.key).\(member.key)"] = member.value.text }
        }
        return all
    }
}

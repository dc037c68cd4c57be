import Beacons
import Contract
import JSON
import Primitives

extension Scenario {
    /// The largest scenario file that is read.
    package static let maxBytes = 1 << 20

    private enum Limit {
        static let gateways = 256
        static let groups = 1000
        static let fixedBeacons = 20_000
        static let faults = 1000
    }

    /// Reads a scenario file: JSON with comments; throws all that is wrong with it.
    package init(parsing bytes: [UInt8]) throws(Faults) {
        self = try ObjectReader.decode(
            parsing: bytes, maxBytes: Self.maxBytes, allowingComments: true
        ) { reader in
            Scenario(from: &reader)
        }
    }

    private init?(from reader: inout ObjectReader) {
        let uuid = reader.parsed("uuid", expecting: "a UUID") { ProximityUUID($0) }
        self.init(uuid: uuid ?? ProximityUUID(high: 0, low: 0))
        seed = reader.integer("seed", in: 0...UInt64(Int64.max), default: seed)
        // Until the year 2100.
        epochMs = reader.integer("epochMs", in: 0...4_102_444_800_000, default: epochMs)
        measuredPower = reader.integer("measuredPower", in: -127...20, default: measuredPower)
        advertisingIntervalMs = reader.integer(
            "advertisingIntervalMs", in: 20...10_240, default: advertisingIntervalMs)
        radio = reader.optionalObject("radio") { Radio(from: &$0) } ?? radio
        gateways = reader.objects("gateways", atMost: Limit.gateways) { Gateway(from: &$0) }
        beacons = reader.objects("beacons", atMost: Limit.groups) { FixedBeacons(from: &$0) }
        people = reader.optionalObject("people") { People(from: &$0) }
        staff = reader.objects("staff", atMost: Limit.groups) { Staff(from: &$0) }
        noise = reader.optionalObject("noise") { Noise(from: &$0) }
        faults = reader.objects("faults", atMost: Limit.faults) { Misbehaviour(from: &$0) }
        check(&reader)
    }

    /// What only the whole can be judged by.
    private func check(_ reader: inout ObjectReader) {
        if !reader.has("gateways") {
            reader.note("gateways", .missing, "gateways is required")
        }
        for (index, gateway) in gateways.enumerated()
        where gateways[..<index].contains(where: { $0.id == gateway.id }) {
            reader.note("gateways", .outOfRange, "two gateways are called “\(gateway.id)”")
        }
        let count = beacons.reduce(0) { $0 + $1.count }
        if count > Limit.fixedBeacons {
            reader.note(
                "beacons", .tooLarge, "at most \(Limit.fixedBeacons) fixed beacons, not \(count)")
        }
    }
}

extension Point {
    /// Reads `{"x": …, "y": …}`.
    init(from reader: inout ObjectReader) {
        self.init(
            x: reader.number("x", in: Self.range), y: reader.number("y", in: Self.range))
    }

    private static let range = -10_000.0...10_000.0

    /// The point that stands for one that could not be read, which the reader has noted.
    static let origin = Point(x: 0, y: 0)
}

extension Scenario.Radio {
    init(from reader: inout ObjectReader) {
        self.init()
        pathLossExponent = reader.number("pathLossExponent", in: 0...6, default: pathLossExponent)
        shadowing.db = reader.number("shadowingDb", in: 0...20, default: shadowing.db)
        shadowing.seconds = reader.number(
            "shadowingSeconds", in: 0.1...3600, default: shadowing.seconds)
        shadowing.metres = reader.optionalNumber("shadowingMetres", in: 0.01...1000)
        multipathDb = reader.number("multipathDb", in: 0...20, default: multipathDb)
        multipathMetres = reader.number(
            "multipathMetres", in: 0.01...100, default: multipathMetres)
        sideDb = reader.number("sideDb", in: 0...20, default: sideDb)
        bodyDb = reader.number("bodyDb", in: 0...20, default: bodyDb)
        fadingDb = reader.number("fadingDb", in: 0...20, default: fadingDb)
        sensitivityDbm = reader.optionalNumber("sensitivityDbm", in: -120...0)
        lossPercent = reader.number("lossPercent", in: 0...100, default: lossPercent)
        collisions = reader.bool("collisions", default: collisions)
        gatewayDb = reader.number("gatewayDb", in: 0...20, default: gatewayDb)
        pathLossSpread = reader.number("pathLossSpread", in: 0...3, default: pathLossSpread)
        tagDb = reader.number("tagDb", in: 0...20, default: tagDb)
        tagIntervalPercent = reader.number(
            "tagIntervalPercent", in: 0...50, default: tagIntervalPercent)
    }
}

extension Scenario.Gateway {
    init(from reader: inout ObjectReader) {
        let id = reader.parsed("id", expecting: Topics.nameRule, Topics.name)
        self.init(
            id: id ?? "", place: Point(from: &reader),
            gainDb: reader.number("gainDb", in: -30...30, default: 0))
    }
}

extension Scenario.FixedBeacons {
    init(from reader: inout ObjectReader) {
        self.init(
            major: reader.integer("major", in: 0...UInt16.max),
            firstMinor: reader.integer("minor", in: 0...UInt16.max),
            count: reader.integer("count", in: 1...20_000, default: 1), place: Point(from: &reader))
        columns = reader.integer("columns", in: 1...20_000, default: columns)
        spacing = reader.number("spacing", in: 0...100, default: spacing)
        let seconds: Int64? = reader.optionalInteger("untilSeconds", in: 0...1_000_000_000)
        end = seconds.map { Instant(microseconds: $0 * 1_000_000) }
        if Int(firstMinor) + count - 1 > Int(UInt16.max) {
            reader.note(
                "count", .outOfRange, "the last minor would be \(Int(firstMinor) + count - 1)")
        }
    }
}

extension Scenario.Noise {
    init(from reader: inout ObjectReader) {
        self.init(
            count: reader.integer("count", in: 0...5000),
            corner: reader.object("corner") { Point(from: &$0) } ?? .origin,
            opposite: reader.object("opposite") { Point(from: &$0) } ?? .origin)
    }
}

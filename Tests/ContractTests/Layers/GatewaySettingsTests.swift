import Beacons
import Contract
import JSON
import TestVectors
import Testing

@Suite struct GatewaySettingsTests {
    private static func settings(_ text: String) throws -> GatewaySettings {
        try GatewaySettings(merged: JSON(parsing: Array(text.utf8), maxBytes: 1 << 16))
    }

    private static func faults(_ text: String) throws -> [String] {
        do {
            _ = try settings(text)
            return []
        } catch let faults as Faults {
            return faults.list.map { "\($0.pointer) \($0.code.rawValue) \($0.message)" }
        }
    }

    private static let uuid = #""uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0""#

    /// Outside the macro's argument, because an older compiler rejects interpolated strings there.
    private static let demanding: [(String, [String])] = [
        ("", ["uuid", "major", "minor"]), (#","major":1"#, ["uuid", "minor"]),
        (#",\#(uuid)"#, ["major", "minor"]), (#",\#(uuid),"minor":1"#, ["major"]),
        (#",\#(uuid),"minor":1,"major":0"#, []),
    ]

    private static let quietOnes: [(String, Bool)] = [
        ("", false), (#""major":1"#, false), (#"\#(uuid),"major":1"#, false),
        (#"\#(uuid),"major":1,"minor":2"#, true),
        (#""enabled":false,\#(uuid),"major":1,"minor":2"#, false),
        (#""enabled":false"#, false), (#""enabled":true,\#(uuid),"major":1,"minor":2"#, true),
    ]

    @Test("empty settings have defaults and leave the controller's advertising unchanged")
    func usual() throws {
        let settings = try Self.settings("{}")
        #expect(settings == GatewaySettings())
        #expect(settings.advertise == nil)
        // ExamplesTests has the exact bytes, in config-reported.untuned.json.
        #expect(settings.json["advertise"] == ["enabled": false])
        #expect(settings.json["report"]?["windowMs"] == 1000)
        #expect(settings.json["report"]?["maxSilenceMs"] == 10_000)
        #expect(settings.json["report"]?["maxSightingsPerMessage"] == 500)
        #expect(settings.json["filter"]?["uuids"] == [])
    }

    @Test("reads all members and writes the effective settings")
    func all() throws {
        let settings = try Self.settings(
            """
            {"filter":{"uuids":["E2C56DB5DFFB48D2B060D0F5A71096E0"]},
             "report":{"windowMs":2000,"maxSilenceMs":0,"maxSightingsPerMessage":10},
             "advertise":{\(Self.uuid),"major":42,"minor":7,"measuredPower":-60,"intervalMs":250,
                          "txPowerDbm":-4,"keepOnExit":true}}
            """)
        #expect(
            settings.advertise
                == AdvertiseSettings {
                    $0 = AdvertiseSettings(uuid: Advertisements.uuid, major: 42, minor: 7)
                    $0.measuredPower = -60
                    $0.intervalMs = 250
                    $0.txPowerDbm = -4
                    $0.keepOnExit = true
                })
        let advertise: JSON = [
            "enabled": true, "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 42,
            "minor": 7, "measuredPower": -60, "intervalMs": 250, "txPowerDbm": -4,
            "keepOnExit": true,
        ]
        let written = settings.json
        #expect(written["advertise"]?.merging(advertise) == written["advertise"])
        let report: JSON = ["windowMs": 2000, "maxSilenceMs": 0, "maxSightingsPerMessage": 10]
        #expect(written["report"]?.merging(report) == written["report"])
        #expect(written["filter"]?["uuids"] == ["e2c56db5-dffb-48d2-b060-d0f5a71096e0"])
        #expect(
            settings.advertise?.beacon
                == IBeacon(identity: Advertisements.identity(7), measuredPower: -60))
    }

    @Test(
        "enabled advertising needs an identity",
        arguments: demanding)
    func enabled(members: String, missing: [String]) throws {
        #expect(
            try Self.faults(#"{"advertise":{"enabled":true\#(members)}}"#)
                == missing.map {
                    "/advertise/\($0) missing \($0) is required where enabled is true"
                })
    }

    @Test(
        "without `enabled`, a complete identity is advertised",
        arguments: quietOnes)
    func quiet(members: String, isOnAir: Bool) throws {
        let settings = try Self.settings(#"{"advertise":{\#(members)}}"#)
        #expect((settings.advertise?.beacon != nil) == isOnAir)
        #expect(settings.json["advertise"]?["enabled"] == .bool(isOnAir))
        #expect(try GatewaySettings(merged: settings.json).json == settings.json)
    }

    @Test(
        "intervals, widths and powers have limits",
        arguments: [
            ("advertise", "intervalMs", 20, 10_240), ("advertise", "measuredPower", -127, 20),
            ("advertise", "txPowerDbm", -127, 20), ("advertise", "major", 0, 65_535),
            ("advertise", "minor", 0, 65_535), ("report", "maxSilenceMs", 0, 3_600_000),
            ("report", "maxSightingsPerMessage", 1, 10_000),
        ])
    func limits(section: String, key: String, lowest: Int, highest: Int) throws {
        for value in [lowest, highest] {
            #expect(try Self.faults(#"{"\#(section)":{"\#(key)":\#(value)}}"#) == [])
        }
        for value in [lowest - 1, highest + 1] {
            #expect(
                try Self.faults(#"{"\#(section)":{"\#(key)":\#(value)}}"#) == [
                    "/\(section)/\(key) out-of-range \(key) must be \(lowest)…\(highest), not \(value)"
                ])
        }
    }

    @Test("a width that is not a multiple of 100 ms is one fault")
    func windows() throws {
        for width in [100, 600_000] {
            #expect(try Self.faults(#"{"report":{"windowMs":\#(width)}}"#) == [])
        }
        #expect(
            try Self.faults(#"{"report":{"windowMs":150}}"#) == [
                "/report/windowMs out-of-range windowMs must be a multiple of 100, not 150"
            ])
        for width in [99, 0, -100, 600_001, 600_100] {
            #expect(try Self.faults(#"{"report":{"windowMs":\#(width)}}"#).count == 1)
        }
    }

    @Test("a filter has at most 64 UUIDs")
    func filters() throws {
        func text(_ count: Int) -> String {
            let uuids = (0..<count).map { "\"\(ProximityUUID(high: 1, low: UInt64($0)))\"" }
            return #"{"filter":{"uuids":[\#(uuids.joined(separator: ","))]}}"#
        }
        #expect(try Self.settings(text(64)).filter.uuids.count == 64)
        #expect(
            try Self.faults(text(65)) == [
                "/filter/uuids too-large uuids must have at most 64 elements, not 65"
            ])
    }

    @Test("a filter has one or more formats, and namespaces of 20 digits")
    func formats() throws {
        let filter = try Self.settings(
            #"{"filter":{"formats":["altbeacon","eddystone-uid"],"#
                + #""namespaces":["EDD1ebeac04e5defa017"]}}"#
        ).filter
        #expect(filter.formats == [.altBeacon, .eddystoneUID])
        #expect(filter.namespaces == [ProximityUUID("edd1ebeac04e5defa017000000000000")])
        #expect(filter.json["namespaces"] == ["edd1ebeac04e5defa017"])
        #expect(FilterSettings().formats == [.iBeacon])
        #expect(
            try Self.faults(#"{"filter":{"formats":[]}}"#) == [
                "/filter/formats out-of-range formats must have an element"
            ])
        #expect(
            try Self.faults(#"{"filter":{"formats":["eddystone"],"namespaces":["edd1"]}}"#) == [
                "/filter/formats/0 out-of-range an element of formats must be one of “ibeacon”, “eddystone-uid”, “altbeacon”, not “eddystone”",
                "/filter/namespaces/0 out-of-range an element of namespaces must be a namespace of 20 hexadecimal digits, not “edd1”",
            ])
    }

    @Test("a null in merged settings has the wrong type")
    func nulls() throws {
        #expect(
            try Self.faults(#"{"report":null}"#) == [
                "/report wrong-type report must be an object, not null"
            ])
    }
}

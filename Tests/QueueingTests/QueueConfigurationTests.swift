import Beacons
import JSON
import Testing

@testable import Queueing

@Suite("the configuration of queues")
struct QueueConfigurationTests {
    private static func faults(_ text: String) -> [String] {
        do throws(Faults) {
            _ = try QueueConfiguration(parsing: Array(text.utf8))
            return []
        } catch {
            return error.list.map { "\($0.pointer.description) \($0.code.rawValue)" }
        }
    }

    @Test("all faults come at once, each with its place")
    func allFaults() {
        let faults = Self.faults(
            """
            {"sites":[{"site":"a b","queues":[
              {"queue":"q","entry":["e"],"till":["e"],"coverage":{"percent":30,"lowPercent":40}},
              {"queue":"q","entry":[],"tills":["t"]}],
              "beacons":{"staff":[{"uuid":"x","major":[9,1]}]}}]}
            """)
        #expect(
            Set(faults) == [
                "/sites/0/site out-of-range", "/sites/0/queues/0/till out-of-range",
                "/sites/0/queues/0/coverage/lowPercent out-of-range",
                "/sites/0/queues/1/entry missing", "/sites/0/queues/1/till missing",
                "/sites/0/queues/1/tills unknown-key", "/sites/0/beacons/staff/0/uuid out-of-range",
                "/sites/0/beacons/staff/0/major out-of-range",
            ])
    }

    @Test("a region needs gateways and a filter, and has one rule of exits")
    func regions() {
        let faults = Self.faults(
            """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["e"],"till":["t"]}],"regions":[
              {"region":"a","gateways":["g","g"],"kind":"visitor","exitMs":10,"falseExitsPerDay":2},
              {"region":"a","gateways":[],"kind":"person"},
              {"region":"b c","gateways":["g"]},
              {"region":"c","beacons":[],"falseExitsPerDay":0},
              {"region":"d","gateways":["g"],"beacons":[{"uuid":"x"}],"zone":"z"},
              {"gateways":["g"],"kind":"fixed","falseExitsPerDay":"few"}]}]}
            """)
        #expect(
            Set(faults) == [
                "/sites/0/regions/0/gateways out-of-range",
                "/sites/0/regions/0/exitMs out-of-range",
                "/sites/0/regions/0/falseExitsPerDay out-of-range",
                "/sites/0/regions/1/gateways missing", "/sites/0/regions/1/kind out-of-range",
                "/sites/0/regions/2/region out-of-range", "/sites/0/regions/2/beacons missing",
                "/sites/0/regions/3/gateways missing", "/sites/0/regions/3/beacons missing",
                "/sites/0/regions/3/falseExitsPerDay out-of-range",
                "/sites/0/regions/4/beacons/0/uuid out-of-range",
                "/sites/0/regions/4/zone unknown-key", "/sites/0/regions/5/region missing",
                "/sites/0/regions/5/falseExitsPerDay out-of-range",
            ])
    }

    @Test("a site has 1,000 regions at most")
    func mostRegions() {
        let regions = (0...1000).map {
            #"{"region":"r\#($0)","gateways":["g"],"kind":"visitor"}"#
        }.joined(separator: ",")
        let faults = Self.faults(
            """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["e"],"till":["t"]}],
              "regions":[\(regions)]}]}
            """)
        #expect(faults == ["/sites/0/regions too-large"])
    }

    @Test("no two regions of a site have one name")
    func repeatedRegions() {
        let region = #"{"region":"r","gateways":["g"],"kind":"visitor"}"#
        let faults = Self.faults(
            """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["e"],"till":["t"]}],
              "regions":[\(region),\(region)]}]}
            """)
        #expect(faults == ["/sites/0/regions out-of-range"])
    }

    @Test("a range of beacons is of one format, organisation, and numbers")
    func ranges() {
        let uuid = ProximityUUID(high: 1, low: 2 << 48)
        func isInside(_ format: BeaconIdentity.Format, _ low: UInt64, _ suffix: UInt32) -> Bool {
            let range = BeaconRange {
                $0.type = format
                $0.uuid = uuid
                $0.namespace = uuid
                $0.major = 0...3
            }
            return range.contains(
                BeaconIdentity(
                    format, prefix: ProximityUUID(high: 1, low: low), suffix: suffix))
        }
        for format in [BeaconIdentity.Format.iBeacon, .altBeacon] {
            #expect(isInside(format, 2 << 48, 3 << 16) && !isInside(format, 2 << 48, 4 << 16))
            #expect(!isInside(format, 2 << 48 | 1, 0))
        }
        // The lower bytes are the instance.
        #expect(isInside(.eddystoneUID, 2 << 48 | 1, 0) && !isInside(.eddystoneUID, 3 << 48, 0))
        #expect(!BeaconRange { $0.uuid = uuid }.contains(BeaconIdentity(.altBeacon, prefix: uuid)))
    }

    @Test("without a range of visitors, only iBeacons are visitors")
    func visitors() {
        let uuid = ProximityUUID(high: 1, low: 2)
        var kinds = BeaconKinds()
        #expect(kinds.kind(of: BeaconIdentity(uuid: uuid, major: 1, minor: 1)) == .visitor)
        for format in [BeaconIdentity.Format.eddystoneUID, .altBeacon] {
            #expect(kinds.kind(of: BeaconIdentity(format, prefix: uuid)) == .other)
        }
        kinds.visitor = [
            BeaconRange {
                $0.type = .altBeacon
                $0.uuid = uuid
            }
        ]
        #expect(kinds.kind(of: BeaconIdentity(.altBeacon, prefix: uuid)) == .visitor)
        #expect(kinds.kind(of: BeaconIdentity(uuid: uuid, major: 1, minor: 1)) == .other)
    }

    @Test(
        "the organisation of a range has the key of its format",
        arguments: [
            (#"{"type":"altbeacon"}"#, ["uuid missing"]),
            (
                #"{"type":"eddystone-uid","uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":[1,2]}"#,
                ["namespace missing", "uuid unknown-key", "major unknown-key"]
            ),
            (#"{"type":"eddystone-uid","namespace":"edd1ebeac04e5defa017"}"#, []),
            (#"{"namespace":"edd1ebeac04e5defa017"}"#, ["uuid missing", "namespace unknown-key"]),
        ] as [(String, [String])])
    func organisations(range: String, faults: [String]) {
        let queue = #"{"queue":"q","entry":["e"],"till":["t"]}"#
        let site = #"{"site":"s","queues":[\#(queue)],"beacons":{"visitor":[\#(range)]}}"#
        #expect(
            Self.faults("{\"sites\":[\(site)]}")
                == faults.map { "/sites/0/beacons/visitor/0/" + $0 })
    }

    @Test("a queue and a site have one entry each")
    func twice() {
        let queue = #"{"queue":"q","entry":["e"],"till":["t"]}"#
        let site = #"{"site":"s","queues":[\#(queue),\#(queue)]}"#
        #expect(Self.faults("{\"sites\":[\(site)]}") == ["/sites/0/queues out-of-range"])
        let other = #"{"site":"s","queues":[\#(queue)]}"#
        #expect(Self.faults("{\"sites\":[\(other),\(other)]}") == ["/sites out-of-range"])
    }

    @Test(
        "queues with the same gateways at entry and till are a fault: one would always be empty",
        arguments: [
            (#""d", "e""#, #""t""#, true), (#""d", "e""#, #""u""#, false),
            (#""e""#, #""t""#, false),
        ])
    func sameEnds(entry: String, till: String, isFault: Bool) {
        let one = #"{"queue":"q","entry":["e","d"],"till":["t"]}"#
        let other = #"{"queue":"r","entry":[\#(entry)],"till":[\#(till)]}"#
        #expect(
            Self.faults(#"{"sites":[{"site":"s","queues":[\#(one),\#(other)]}]}"#)
                == (isFault ? ["/sites/0/queues out-of-range"] : []))
    }

    @Test(
        "an empty list and a gateway that stands twice are faults",
        arguments: [
            (#"{"sites":[]}"#, "/sites missing"),
            (#"{"sites":[{"site":"s","queues":[]}]}"#, "/sites/0/queues missing"),
            (#"{"sites":[{"site":"s","regions":[]}]}"#, "/sites/0/queues missing"),
            (
                #"{"sites":[{"site":"s","queues":[{"queue":"q","entry":["e"],"till":["t","t"]}]}]}"#,
                "/sites/0/queues/0/till out-of-range"
            ),
            (
                #"{"sites":[{"site":"s","queues":[{"queue":"q","entry":"e","till":["t"]}]}]}"#,
                "/sites/0/queues/0/entry wrong-type"
            ),
        ])
    func empty(text: String, fault: String) { #expect(Self.faults(text) == [fault]) }

    @Test(
        "a site without queues has a region, a registry or a plan",
        arguments: [
            #""regions":[{"region":"r","gateways":["g"],"kind":"fixed"}]"#,
            #""beacons":{"registry":"/r.csv"}"#, #""plan":"/zones.geojson","queues":[]"#,
        ])
    func without(keys: String) {
        #expect(Self.faults(#"{"sites":[{"site":"s",\#(keys)}]}"#).isEmpty)
    }

    @Test("beacons have the kind of their range")
    func kinds() throws {
        let text = """
            {"sites":[{"site":"s","queues":[{"queue":"q","entry":["e"],"till":["t"]}],
              // The staff wears the first numbers.
              "beacons":{"staff":[{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":[1,1],"minor":[0,9]}],
                "visitor":[{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0"}]}}]}
            """
        let kinds = try QueueConfiguration(parsing: Array(text.utf8)).sites[0].beacons
        let uuid = try #require(ProximityUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        let other = try #require(ProximityUUID("f2c56db5-dffb-48d2-b060-d0f5a71096e0"))
        #expect(kinds.kind(of: BeaconIdentity(uuid: uuid, major: 1, minor: 9)) == .staff)
        #expect(kinds.kind(of: BeaconIdentity(uuid: uuid, major: 1, minor: 10)) == .visitor)
        #expect(kinds.kind(of: BeaconIdentity(uuid: other, major: 1, minor: 9)) == .other)
    }
}

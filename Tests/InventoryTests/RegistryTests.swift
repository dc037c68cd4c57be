import Beacons
import Contract
import Inventory
import Primitives
import Testing

@Suite struct RegistryTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    private static let header =
        "uuid,major,minor,kind,name,zone,x,y,z,intervalMs,measuredPower,telemetry,since,until\n"

    private static func registry(_ rows: String...) -> Registry {
        Registry(parsing: Array((header + rows.map { $0 + "\n" }.joined()).utf8))
    }

    private static func row(_ rest: String) -> String { "\(uuid),\(rest)" }

    @Test("a row has its values")
    func values() throws {
        let registry = Self.registry(
            Self.row("42,7,fixed,\"shelf 17, left\",sales,1.5,-2,0.8,1000,-61,yes,2026-01-02,"),
            "", Self.row("42,*,visitor,,,,,,,,,,"),
            Self.row("43,1-200,Staff,,,,,,,,no,,2026-12-31"))
        #expect(registry.faults == [])
        let first = try #require(registry.beacons.first)
        #expect(first.line == 2 && first.kind == .fixed && first.name == "shelf 17, left")
        #expect(first.place?.x == 1.5 && first.place?.y == -2 && first.place?.z == 0.8)
        #expect(first.zone == "sales")
        #expect(first.intervalMs == 1000 && first.measuredPower == -61 && first.telemetry == true)
        #expect(first.since == "2026-01-02" && first.until == nil)
        #expect(registry.beacons.map(\.line) == [2, 4, 5])
        #expect(registry.beacons.last?.minors == 1...200)
    }

    @Test("columns may have any order and case, and unknown ones stay")
    func columns() {
        let text = "Kind;floor;MINOR;uuid;major\nasset;2;7;\(Self.uuid.uppercased());42\n"
        let registry = Registry(parsing: Array(text.utf8))
        #expect(registry.faults == [] && registry.otherColumns == ["floor"])
        #expect(registry.beacons.map(\.label) == ["\(Self.uuid)/42/7"])
    }

    @Test(
        "each fault has its line and its cause",
        arguments: [
            ("42,7,fixed,,,,,,,,,,", nil),
            ("65536,7,fixed,,,,,,,,,,", "major must be a number from 0 to 65535, not “65536”"),
            ("42,-1,fixed,,,,,,,,,,", "minor must be a number from 0 to 65535, a range"),
            ("42,9-7,staff,,,,,,,,,,", "minor must be a number from 0 to 65535, a range"),
            ("42,1-9,fixed,,,,,,,,,,", "a range of minor numbers is for visitors and staff"),
            ("42,7,fixd,,,,,,,,,,", "not “fixd”; did you mean fixed?"),
            ("42,7,,,,,,,,,,,", "kind is missing"),
            ("42,7,fixed,,,1,,,,,,,", "x and y come together"),
            ("42,7,fixed,,,1,nan,,,,,,", "y must be metres, not “nan”"),
            ("42,7,fixed,,,,,3,,,,,", "z needs x and y"),
            ("42,7,fixed,,,,,,19,,,,", "intervalMs must be a number from 20 to 10240"),
            ("42,7,fixed,,,,,,,21,,,", "measuredPower must be a number from -127 to 20"),
            ("42,7,fixed,,,,,,,,maybe,,", "telemetry must be yes or no"),
            ("42,7,fixed,,,,,,,,,2026-02-29,", "since must be a date"),
            ("42,7,fixed,,,,,,,,,2028-02-29,", nil),
            ("42,7,fixed,,,,,,,,,2026-02-02,2026-02-01", "until is before since"),
            ("42,7,fixed", "4 cells, but the header has 14"),
        ] as [(String, String?)])
    func faults(row: String, sentence: String?) throws {
        let registry = Self.registry(Self.row("1,1,fixed,,,,,,,,,,"), Self.row(row))
        guard let sentence else { return #expect(registry.faults == []) }
        let fault = try #require(registry.faults.first)
        #expect(registry.faults.count == 1 && fault.line == 3)
        #expect(fault.sentence.contains(sentence), "\(fault)")
        #expect(registry.beacons.count == 1)
    }

    @Test("a duplicate and an overlap name both lines, unless their dates differ")
    func overlaps() {
        let rows = [
            "42,7,fixed,,,,,,,,,,2026-01-31", "42,7,fixed,,,,,,,,,2026-01-31,",
            "42,7,fixed,,,,,,,,,2026-02-01,", "42,1-9,staff,,,,,,,,,,",
            "42,20-30,visitor,,,,,,,,,,", "42,25,asset,,,,,,,,,,", "42,*,visitor,,,,,,,,,,",
            "42,*,staff,,,,,,,,,,",
            "43,*,visitor,,,,,,,,,,",
        ]
        let registry = Registry(
            parsing: Array((Self.header + rows.map { Self.row($0) + "\n" }.joined()).utf8))
        #expect(
            registry.faults.map(\.description) == [
                "line 3: \(Self.uuid)/42/7 is there already, in line 2",
                "line 5: \(Self.uuid)/42/1-9 overlaps \(Self.uuid)/42/7 of line 2",
                "line 7: \(Self.uuid)/42/25 overlaps \(Self.uuid)/42/20-30 of line 6",
                "line 9: \(Self.uuid)/42/* is there already, in line 8",
            ])
    }

    @Test(
        "a file without a table has one fault",
        arguments: [
            ("", "the file is empty"), ("uuid,major,minr,kind\n", "did you write “minr” for it?"),
            ("uuid,major,minor,kind,minor\n", "“minor” is there twice"), ("\"a", "never closed"),
        ])
    func tables(text: String, sentence: String) {
        let registry = Registry(parsing: Array(text.utf8))
        #expect(registry.faults.count == 1 && registry.faults[0].sentence.contains(sentence))
    }

    @Test("a heard beacon has its row in each format, on the dates of the row")
    func lookUp() throws {
        let registry = Self.registry(
            Self.row("42,7,gateway,,,,,,,,,,2026-01-31"), Self.row("43,*,visitor,,,,,,,,,,"),
            Self.row("43,1-9,staff,,,,,,,,,,"))
        let identity = BeaconIdentity(
            uuid: try #require(ProximityUUID(Self.uuid)), major: 42, minor: 7)
        for format in BeaconIdentity.Format.allCases {
            let heard = identity.translated(to: format)
            #expect(registry.beacon(of: heard, on: "2026-01-31")?.line == 2)
            #expect(registry.beacon(of: heard, on: "2026-02-01") == nil)
            #expect(registry.isOurs(heard))
        }
        let visitor = BeaconIdentity(uuid: identity.uuid, major: 43, minor: 65_535)
        #expect(registry.beacon(of: visitor, on: "2026-02-01")?.kind == .visitor)
        let staff = BeaconIdentity(uuid: identity.uuid, major: 43, minor: 9)
        #expect(registry.beacon(of: staff, on: "2026-02-01")?.kind == .staff)
        let foreign = BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2), major: 42, minor: 7)
        for format in BeaconIdentity.Format.allCases {
            #expect(!registry.isOurs(foreign.translated(to: format)))
        }
    }
}

import JSON
import Testing

@testable import Ranging

struct PlanDocumentTests {
    private static let floor =
        #"{"type":"Feature","properties":{"role":"floor","height":1.2},"geometry":{"type":"Polygon","coordinates":[[[0,0],[12,0],[12,8],[0,8],[0,0]]]}}"#

    private static func zone(_ name: String, _ x: ClosedRange<Double>, top: Double = 8) -> String {
        let (a, b) = (x.lowerBound, x.upperBound)
        return
            #"{"type":"Feature","properties":{"zone":"\#(name)","name":"Shelf"},"geometry":{"type":"Polygon","coordinates":[[[\#(a),0],[\#(b),0],[\#(b),\#(top)],[\#(a),\#(top)],[\#(a),0]]]}}"#
    }

    private static func gateway(_ name: String, _ x: Double) -> String {
        #"{"type":"Feature","properties":{"gateway":"\#(name)","z":2.3},"geometry":{"type":"Point","coordinates":[\#(x),1]}}"#
    }

    private static func document(_ features: [String], crs: String = "local") -> PlanDocument {
        PlanDocument(
            parsing: Array(
                #"{"type":"FeatureCollection","crs":"\#(crs)","features":[\#(features.joined(separator: ","))]}"#
                    .utf8))
    }

    @Test func `a plan has its floor, its zones that touch, and its gateways`() throws {
        let document = Self.document([
            Self.floor, Self.zone("sales", 0...6), Self.zone("tills", 6...12),
            Self.gateway("door", 1),
        ])
        #expect(document.faults == [])
        let plan = try #require(document.plan)
        #expect(plan.floor.area == 96 && plan.beaconHeight == 1.2)
        #expect(plan.zones.map(\.name) == ["sales", "tills"] && plan.zones[0].title == "Shelf")
        #expect(plan.gateways == [.init("door", RoomPlace(PlanPoint(1, 1), z: 2.3))])
    }

    private static let faulty: [(features: [String], pointer: String, words: String)] = [
        (
            [floor, zone("a", 0...6), zone("b", 5...9), gateway("g", 1)], "/features/2",
            "overlaps “a”"
        ),
        (
            [floor, zone("a", 0...6), zone("b", 1...2, top: 3), gateway("g", 1)], "/features/2",
            "overlaps"
        ),
        ([floor, zone("a", 0...6), zone("b", 0...6), gateway("g", 1)], "/features/2", "overlaps"),
        ([floor, zone("a", 6...12), zone("a", 0...6), gateway("g", 1)], "/features/2", "already"),
        ([floor, zone("a", 9...15), gateway("g", 1)], "/features/1", "outside of the floor"),
        ([floor, gateway("g", 40)], "/features/1", "outside of the floor"),
        ([floor, gateway("g", 1), gateway("g", 2)], "/features/2", "already"),
        ([floor], "", "no feature is a gateway"),
        ([gateway("g", 1)], "", "role: floor"),
        ([floor, floor, gateway("g", 1)], "/features/1", "one floor"),
        ([floor, zone("a", 2...2), gateway("g", 1)], "/features/1", "no area"),
        ([floor, "{}", gateway("g", 1)], "/features/1", "needs properties and geometry"),
        ([floor, "7", gateway("g", 1)], "/features/1", "needs properties and geometry"),
    ]

    @Test(arguments: faulty)
    func `a fault names its feature`(
        features: [String], pointer: String, words: String
    ) {
        let document = Self.document(features)
        #expect(document.plan == nil)
        #expect(
            document.faults.contains {
                "\($0.pointer)" == pointer && $0.message.contains(words)
            }, "\(document.faults)")
    }

    @Test func `degrees are refused`() {
        let document = Self.document([Self.floor], crs: "EPSG:4326")
        #expect(document.faults.map { "\($0.pointer)" } == ["/crs"])
    }

    @Test func `any prefix of a plan is a plan or has a fault`() {
        let text = Array(
            #"{"type":"FeatureCollection","crs":"local","features":[\#(Self.floor),\#(Self.gateway("g", 1))]}"#
                .utf8)
        for end in stride(from: 0, to: text.count, by: 3) {
            #expect(!PlanDocument(parsing: Array(text[..<end])).faults.isEmpty)
        }
    }
}

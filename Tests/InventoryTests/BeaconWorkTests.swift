import Primitives
import Testing

@testable import Inventory

@Suite("work list")
struct BeaconWorkTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"

    private static func now(
        _ state: BeaconState, _ evidence: BeaconEvidence = BeaconEvidence(),
        name: String = "shelf-17"
    ) throws -> BeaconNow {
        let registry = Registry(
            parsing: Array("uuid,major,minor,kind,name\n\(uuid),1,2,fixed,\(name)\n".utf8))
        let table = InventoryTable(registry, on: "2026-11-28")
        return BeaconNow(
            entry: try #require(table.entries.first), at: nil, state: state, since: nil,
            evidence: evidence, lastHeard: nil, gateways: [], battery: nil)
    }

    private static let cases: [(BeaconState, BeaconEvidence, String)] = [
        (.unseen, BeaconEvidence(), "No gateway has heard shelf-17 yet."),
        (
            .missing,
            BeaconEvidence {
                ($0.silence, $0.gateways) = (.seconds(11_100), ["a", "b", "c", "d", "e"])
            }, "shelf-17 is missing: no report for 3 h 5 min at a, b, c and 2 others."
        ),
        (
            .clone, BeaconEvidence { ($0.reports, $0.limit, $0.gateways) = (130, 67, ["till-1"]) },
            "Several devices send the identity of shelf-17: 130 reports in a minute at till-1, and"
                + " one device sends 67 at most."
        ),
        (
            .clone, BeaconEvidence { ($0.senders, $0.gateways) = (3, ["till-1", "till-2"]) },
            "Several devices send the identity of shelf-17: 3 senders at the same time at till-1 and"
                + " till-2."
        ),
        (
            .clone, BeaconEvidence { ($0.isEcho, $0.gateways) = (true, ["till-1"]) },
            "Several devices send the identity of shelf-17: the gateway till-1 hears it from another"
                + " one."
        ),
        (
            .battery,
            BeaconEvidence {
                ($0.millivolts, $0.millivoltsPerWeek, $0.daysLeft) = (2605, -9.2, 20.4)
            }, "Battery of shelf-17 ends in about 3 weeks (2.61 V, −9.2 mV a week)."
        ),
        (
            .battery,
            BeaconEvidence {
                ($0.millivolts, $0.millivoltsPerWeek, $0.daysLeft) = (2004, -140, 0.2)
            }, "Battery of shelf-17 ends now (2.00 V, −140 mV a week)."
        ),
        (
            .battery, BeaconEvidence { $0.millivolts = 2550 },
            "Battery of shelf-17 is low (2.55 V)."
        ),
        (
            .moved, BeaconEvidence { ($0.score, $0.gateways) = (3, ["till-1"]) },
            "shelf-17 seems to be in another place: its levels have changed at till-1."
        ),
        (
            .interval, BeaconEvidence { ($0.rate, $0.usualRate) = (0.04, 0.1) },
            "shelf-17 sends 40 % of its usual reports."
        ),
    ]

    @Test("each fault has a sentence", arguments: cases.indices)
    func sentences(index: Int) throws {
        let (state, evidence, sentence) = Self.cases[index]
        let work = BeaconWork(try Self.now(state, evidence))
        #expect(work?.sentence == sentence)
    }

    @Test("a beacon has work exactly where its state is a fault", arguments: BeaconState.allCases)
    func faults(state: BeaconState) throws {
        #expect((BeaconWork(try Self.now(state)) != nil) == state.isFault)
    }

    @Test("a clone comes first, then what is missing, then a battery by its end")
    func order() throws {
        func days(_ state: BeaconState, left: Double? = nil) throws -> Double {
            let now = try Self.now(state, BeaconEvidence { $0.daysLeft = left })
            return try #require(BeaconWork(now)).withinDays
        }
        let order = [
            try days(.clone), try days(.missing), try days(.battery, left: 2), try days(.moved),
            try days(.battery), try days(.battery, left: 20),
        ]
        #expect(order == order.sorted())
        #expect(Set(order).count == order.count)
    }

    @Test("a beacon without a name is its major and minor number: the store gets no UUID")
    func names() throws {
        let work = BeaconWork(try Self.now(.unseen, name: ""))
        #expect(work?.sentence == "No gateway has heard 1/2 yet.")
        let event = InventoryEvent(
            kind: .unregistered, item: "\(Self.uuid)/1/9", at: 0, decidedAt: 0,
            evidence: BeaconEvidence { $0.gateways = ["till-1"] })
        #expect(event.sentence(nil) == "1/9 has no row in the registry and is loudest at till-1.")
    }
}

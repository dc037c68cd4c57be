import JSON
import Testing

@testable import VirtualRadio

@Suite struct ScenarioReadingTests {
    private func faults(_ text: String) -> [String] {
        do throws(Faults) {
            _ = try Scenario(parsing: Array(text.utf8))
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code.rawValue)" }
        }
    }

    private let start =
        #"{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","gateways":[{"id":"a","x":0,"y":0}]"#

    @Test("the scenarios of this repository are valid", arguments: ["queue", "busy", "rush"])
    func ownScenarios(_ name: String) throws {
        let scenario = try scenario(name)
        #expect(scenario.gateways.map(\.id).prefix(2) == ["entry-1", "till-1"])
    }

    @Test("the smallest scenario has an organisation and a gateway")
    func smallestScenario() {
        #expect(faults(start + "}") == [])
        #expect(Set(faults("{}")) == ["/uuid missing", "/gateways missing"])
    }

    @Test(
        "each fault has its JSON path",
        arguments: [
            (#""sed":1"#, "/sed unknown-key"),
            (#""seed":-1"#, "/seed out-of-range"),
            (#""seed":"1""#, "/seed wrong-type"),
            (#""radio":{"lossPercent":101}"#, "/radio/lossPercent out-of-range"),
            (
                #""beacons":[{"major":1,"minor":65535,"count":2,"x":0,"y":0}]"#,
                "/beacons/0/count out-of-range"
            ),
            (#""beacons":[{"major":1,"minor":1,"x":0}]"#, "/beacons/0/y missing"),
            (#""faults":[{"at":1,"kind":"dance"}]"#, "/faults/0/kind out-of-range"),
            (#""faults":[{"at":1,"kind":"stall"}]"#, "/faults/0/seconds missing"),
            (#""faults":[{"at":1,"kind":"close","code":3}]"#, "/faults/0/code unknown-key"),
            (
                #""faults":[{"at":1,"kind":"refuse","opcode":"x","status":"0x0c"}]"#,
                "/faults/0/opcode out-of-range"
            ),
            (#""noise":{"count":1,"corner":{"x":0,"y":0}}"#, "/noise/opposite missing"),
            (#""staff":[{"major":1,"minor":1}]"#, "/staff/0/posts missing"),
            (#""radio":{"bodyDb":-1}"#, "/radio/bodyDb out-of-range"),
        ]) func faultPaths(member: String, fault: String)
    {
        #expect(faults(start + "," + member + "}") == [fault])
    }

    @Test("duplicate gateways, an endless queue and too few beacons are faults")
    func inconsistentScenarios() {
        let people = { (service: Int, minors: Int) in
            """
            ,"people":{"major":1,"perMinute":2,"minors":\(minors),"door":{"x":0,"y":0},"exit":{"x":9,"y":0},
            "queue":{"entry":{"x":1,"y":0},"till":{"x":8,"y":0},"serviceSeconds":{"min":1,"max":\(service)}}}}
            """
        }
        #expect(faults(start + people(20, 1000)) == [])
        #expect(faults(start + people(200, 1000)) == ["/people out-of-range"])
        #expect(faults(start + people(20, 5)) == ["/people/minors out-of-range"])
        let twice = start.replacing("]", with: #",{"id":"a","x":1,"y":1}]"#) + "}"
        #expect(faults(twice) == ["/gateways out-of-range"])
    }

    @Test(
        "the faults of queues, tills, tags and passers-by have their paths",
        arguments: [
            (#""queue":{QUEUE,"till":TILL},"queues":[]"#, ["/people/queue missing"]),
            ("\"stops\":[]", ["/people/queue missing"]),
            (#""queue":{"id":"..",QUEUE,"till":TILL}"#, ["/people/queue/id out-of-range"]),
            (#""queue":{QUEUE}"#, ["/people/queue/till missing"]),
            (
                #""queue":{QUEUE,"tills":[{"x":8,"y":0,"open":{"seconds":60,"factors":[1,0]}}]}"#,
                ["/people/queue/tills out-of-range"]
            ),
            (
                #""queues":[{QUEUE,"till":TILL},{QUEUE,"till":TILL}]"#,
                ["/people/queues out-of-range"]
            ),
            (
                #""queue":{QUEUE,"till":TILL},"arrivals":{"seconds":60,"factors":[1,-1]}"#,
                ["/people/arrivals/factors/1 out-of-range"]
            ),
            (
                #""queue":{QUEUE,"till":TILL},"tags":{"phonePercent":5}"#,
                ["/people/tags/phoneMajor missing"]
            ),
            (
                #""queue":{QUEUE,"till":TILL},"passersBy":{"major":2,"perVisitor":10}"#,
                ["/people/passersBy/paths missing"]
            ),
            (
                #""queue":{QUEUE,"till":TILL},"passersBy":{"major":2,"perVisitor":10,"minors":9,"paths":[{"from":TILL,"to":TILL}]}"#,
                ["/people/passersBy out-of-range"]
            ),
        ]) func peopleFaults(members: String, expected: [String])
    {
        let people =
            members
            .replacing("QUEUE", with: #""entry":{"x":1,"y":0},"serviceSeconds":{"min":1,"max":20}"#)
            .replacing("TILL", with: #"{"x":8,"y":0}"#)
        let text =
            start
            + #","people":{"major":1,"perMinute":2,"door":{"x":0,"y":0},"exit":{"x":9,"y":0},"#
            + people + "}}"
        #expect(faults(text) == expected)
    }

    @Test("each kind of misbehaviour is read") func faultKinds() throws {
        let text =
            start + """
                ,"faults":[{"at":1,"kind":"stall","seconds":2},{"at":2,"kind":"silent"},
                {"at":3,"kind":"refuse","opcode":"0x200c","status":"0x0c","times":1},
                {"at":4,"kind":"hardwareError","code":66},{"at":5,"kind":"close"}]}
                """
        let scenario = try Scenario(parsing: Array(text.utf8))
        #expect(scenario.faults.map(\.at) == [1, 2, 3, 4, 5].map { .seconds($0) })
        #expect(scenario.faults[2].kind == .refuse(.leSetScanEnable, .commandDisallowed, times: 1))
        #expect(scenario.faults[4].kind == .close(.zero))
    }

    @Test("any prefix of a scenario is an error, never a crash") func prefixes()
        throws
    {
        let text = Array((start + #","faults":[{"at":1,"kind":"stall","seconds":2}]}"#).utf8)
        for count in 0..<text.count {
            #expect(throws: Faults.self) { _ = try Scenario(parsing: Array(text.prefix(count))) }
        }
    }
}

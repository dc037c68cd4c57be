import Foundation
import JSON
import Subscriber
import TestSupport
import Testing

@testable import Subcommands

/// What changed when.
extension TuneProgramTests {
    @Test("--history shows what tune published and which gateways apply it, also after a restart")
    func history() throws {
        var options = Broker.Options()
        options.remembers = true
        let broker = try Broker(options)
        let fakes = try FakeGateways(
            Self.gateways([("a", .applies), ("b", .rejects), ("c", .offline)]), on: broker)
        try withExtendedLifetime(fakes) {
            let began = Date().timeIntervalSince1970 * 1000
            for major in [41, 42] {
                _ = try Self.run(["--site", "store-042", "advertise.major=\(major)"], on: broker)
            }
            let ended = Date().timeIntervalSince1970 * 1000
            func entry() throws -> JSON {
                let result = try Self.run(["--history", "store-042", "--json"], on: broker)
                #expect(result.status == 0)
                #expect(result.lines.count == 1, "\(result.lines)")
                return try AssignmentTests.json(try #require(result.lines.first))
            }
            let first = try entry()
            guard case .integer(let published)? = first["publishedAt"] else {
                Issue.record("no time: \(first.text)")
                return
            }
            #expect((began - 1...ended + 1).contains(Double(published)))
            #expect(first["version"] == .integer(2))
            #expect(first["replaces"] == .integer(1))
            #expect(
                first["changes"]?.text == #"[{"path":"/advertise/major","old":41,"new":42}]"#)
            #expect(
                first["inForce"]?.text
                    == #"[{"site":"store-042","gateway":"a","since":1780000000000}]"#)
            #expect(
                first["missing"]?.text
                    == #"[{"site":"store-042","gateway":"b","verdict":"rejected","version":null,"#
                    + #""reasons":["/advertise/major: not this one"]},"#
                    + #"{"site":"store-042","gateway":"c","verdict":"offline","version":null,"reasons":[]}]"#
            )
            broker.stop()
            try broker.restart()
            #expect(try entry() == first)
            let text = try Self.run(["--history", "store-042/a"], on: broker)
            #expect(text.status == 0)
            #expect(
                text.lines.dropFirst() == [
                    "  - /advertise/major 41", "  + /advertise/major 42",
                    "  in force at store-042/a since 2026-05-28 20:26:40 UTC",
                ])
        }
    }

    @Test(
        "--history of an unknown place has the nearest names, and exits with 2",
        arguments: [
            ("stor-042", "sightline: site stor-042 is unknown; did you mean store-042?"),
            (
                "store-042/entry-2",
                "sightline: gateway store-042/entry-2 is unknown; did you mean entry-1?"
            ),
        ])
    func unknownHistory(place: String, sentence: String) throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            let result = try Self.run(["--history", place], on: broker)
            #expect(result.status == 2)
            #expect(result.lines == [sentence])
        }
    }
}

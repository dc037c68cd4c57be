import Contract
import TestSupport
import Testing

@testable import Subcommands

/// Two programs that change the same document at the same time.
extension TuneProgramTests {
    private static let base = #"{"version":7,"filter":{"uuids":[]}}"#
    private static let first = #"{"version":8,"filter":{"uuids":[]},"advertise":{"major":1}}"#

    private static func startLate(_ wire: HeldWire) throws -> ChildProcess {
        try ChildProcess(
            try #require(BuiltProgram.find("sightline")),
            [
                "tune", "--broker", "mqtt://127.0.0.1:\(wire.port)", "--site", "store-042",
                "advertise.major=2",
            ], environment: environment)
    }

    private static func checkLoser(_ loser: ChildProcess) {
        #expect(loser.waitForExit() == 1)
        #expect(
            loser.lines.contains(
                "sightline: another client published version 8 on \(site) first; its document is"
                    + " restored, check it and run tune again"), "\(loser.lines)")
        #expect(
            loser.lines.contains { $0.hasPrefix("store-042/entry-1 overtaken: ") },
            "\(loser.lines)")
    }

    @Test("the later of two concurrent publications gives way to the first, which has ended")
    func laterGivesWay() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            try Self.publish(Self.base, to: Self.site, on: broker)
            let wire = try HeldWire(to: broker)
            let loser = try Self.startLate(wire)
            try wire.waitUntilHolding()
            let arguments = ["--site", "store-042", "advertise.major=1"]
            let winner = try Self.run(arguments, on: broker)
            #expect(winner.status == 0, "\(winner.lines)")
            wire.release()
            Self.checkLoser(loser)
            #expect(try Self.retained(Self.site, on: broker) == Self.first)
            let again = try Self.run(arguments, on: broker)
            #expect(
                again.lines == [
                    "\(Self.site): no difference; version 8 stays", "store-042/entry-1 applied",
                    "1 gateway: 1 applied",
                ])
        }
    }

    @Test("the first of two concurrent publications succeeds while the later one gives way")
    func firstSucceeds() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .hesitates)]), on: broker)
        try withExtendedLifetime(fakes) {
            try Self.publish(Self.base, to: Self.site, on: broker)
            let wire = try HeldWire(to: broker)
            let loser = try Self.startLate(wire)
            try wire.waitUntilHolding()
            let winner = try Self.start(
                ["--site", "store-042", "advertise.major=1"], on: broker)
            let witness = try Subscriber(to: Self.site, on: broker)
            #expect(witness.waitForMessage { $0.payload == Self.first } != nil)
            wire.release()
            Self.checkLoser(loser)
            #expect(try Self.retained(Self.site, on: broker) == Self.first)
            try Self.publish("x", to: "sightline/v1/store-042/entry-1/go", on: broker)
            #expect(winner.waitForExit() == 0, "\(winner.lines)")
            #expect(winner.lines.last == "1 gateway: 1 applied")
        }
    }

    @Test("programs that start together end with one document, or say why not")
    func together() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            try Self.publish(Self.base, to: Self.site, on: broker)
            for round in 1...5 {
                let programs = try (1...2).map {
                    try Self.start(
                        ["--site", "store-042", "advertise.major=\(10 * round + $0)"], on: broker)
                }
                for program in programs {
                    let status = program.waitForExit()
                    let says = program.lines.contains { $0.contains("another client published") }
                    let isOvertaken = program.lines.contains { $0.contains("overtaken") }
                    #expect(status == 0 || status == 1 && (says || isOvertaken), "\(program.lines)")
                }
                let text = try Self.retained(Self.site, on: broker)
                let document = try LayerDocument(parsing: Array(try #require(text).utf8))
                let witness = try Subscriber(
                    to: "sightline/v1/store-042/entry-1/config/reported", on: broker)
                #expect(
                    witness.waitForMessage {
                        let report = try? ReportedMessage(decoding: Array($0.payload.utf8))
                        return report?.digests.site == document.digest
                    } != nil)
            }
        }
    }
}

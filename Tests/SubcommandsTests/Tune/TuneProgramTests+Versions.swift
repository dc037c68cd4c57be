import Contract
import TestSupport
import Testing

@testable import Subcommands

/// Brokers and gateways that disagree about the version.
extension TuneProgramTests {
    @Test("a document older than the gateways' is replaced only with --replace")
    func rolledBack() throws {
        let broker = try Broker()
        let fakes = try FakeGateways(
            Self.gateways([("entry-1", .applies), ("till-1", .applies)]), on: broker,
            remembered: LayerVersions(site: 12))
        try withExtendedLifetime(fakes) {
            // From a backup: without the filter of version 12.
            let old = #"{"version":9,"advertise":{"major":7}}"#
            try Self.publish(old, to: Self.site, on: broker)
            let arguments = ["--site", "store-042", "advertise.major=8"]
            let refused = try Self.run(arguments, on: broker)
            #expect(refused.status == 1)
            #expect(
                refused.lines == [
                    "sightline: store-042/entry-1, store-042/till-1 know version 12 of \(Self.site), but the broker has only version 9: its settings would be lost; use --replace to publish a complete document"
                ])
            #expect(try Self.retained(Self.site, on: broker) == old)
            let replaced = try Self.run(arguments + ["--replace"], on: broker)
            #expect(replaced.status == 0, "\(replaced.lines)")
            #expect(
                try Self.retained(Self.site, on: broker)
                    == #"{"version":13,"advertise":{"major":8}}"#)
        }
    }

    @Test("a stolen card with the last version is ignored, and --reset-versions begins again")
    func lastVersion() throws {
        let broker = try Broker()
        let last = LayerDocument.versions.upperBound
        let fakes = try FakeGateways(Self.gateways([("entry-1", .applies)]), on: broker)
        try withExtendedLifetime(fakes) {
            let card = try FakeGateways(
                Self.gateways([("stolen-1", .silent)]), on: broker,
                remembered: LayerVersions(site: last))
            try withExtendedLifetime(card) {
                try Self.publish(
                    #"{"version":9,"advertise":{"major":7}}"#, to: Self.site, on: broker)
                let result = try Self.run(
                    ["--site", "store-042", "advertise.major=8"], on: broker)
                #expect(
                    result.lines.contains(
                        "sightline: ignored: store-042/stolen-1 reports version \(last) of \(Self.site), at least 1,000,000 above the broker (version 9)"
                    ), "\(result.lines)")
                #expect(result.lines.contains("store-042/entry-1 applied"))
                #expect(result.lines.last == "2 gateways: 1 applied, 1 overtaken")
                #expect(
                    try Self.retained(Self.site, on: broker)
                        == #"{"version":10,"advertise":{"major":8}}"#)
            }
        }
    }

    @Test("--reset-versions lets the versions begin again, and keeps the settings")
    func reset() throws {
        let broker = try Broker()
        let last = LayerDocument.versions.upperBound
        try Self.publish(
            #"{"version":\#(last),"advertise":{"major":7}}"#, to: Self.site, on: broker)
        let fakes = try FakeGateways(
            Self.gateways([("entry-1", .applies), ("till-1", .offline)]), on: broker)
        try withExtendedLifetime(fakes) {
            let stuck = try Self.run(["--site", "store-042", "advertise.major=8"], on: broker)
            #expect(stuck.status == 1)
            #expect(
                stuck.lines == [
                    "sightline: no version is left for \(Self.site): \(last) is the last possible one; use --reset-versions"
                ])
            let result = try Self.run(
                ["--site", "store-042", "--reset-versions", "--timeout", "60"], on: broker)
            #expect(result.status == 1)
            #expect(
                result.lines.first
                    == "\(Self.site): version \(last) → version 1, because its versions begin again"
            )
            #expect(
                result.lines.dropFirst().sorted() == [
                    "2 gateways: 1 applied, 1 offline", "store-042/entry-1 applied",
                    "store-042/till-1 offline: it keeps its version; if that is later, run --reset-versions again when it is back",
                ])
            #expect(
                try Self.retained(Self.site, on: broker)
                    == #"{"version":1,"advertise":{"major":7}}"#)
        }
    }
}

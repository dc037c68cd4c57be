import Contract
import HCI
import Testing
import VirtualRadio

@testable import Agent
@testable import Radio

/// After a refusal the last good settings are on the air, and the report has the reason.
@Suite struct RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let family: CommandFamily
        let opcode: Opcode
        /// `nil`: always.
        let times: Int?

        var testDescription: String { "\(family) \(opcode) \(times.map(String.init) ?? "always")" }
    }

    static let commands: [Case] = [
        (CommandFamily.legacy, Opcode.leSetAdvertisingParameters),
        (.legacy, .leSetAdvertisingData), (.legacy, .leSetAdvertisingEnable),
        (.extended, .leSetExtendedAdvertisingParameters),
        (.extended, .leSetExtendedAdvertisingData), (.extended, .leSetExtendedAdvertisingEnable),
    ].flatMap { family, opcode in
        [1, nil].map { Case(family: family, opcode: opcode, times: $0) }
    }

    private static func advertising(_ family: CommandFamily) throws -> TunedGateway {
        let gateway = try TunedGateway(family: family)
        gateway.receive(SettingsReconcilerTests.fleet, of: .fleet)
        gateway.receive(SettingsReconcilerTests.site, of: .site)
        gateway.receive(SettingsReconcilerTests.gateway, of: .gateway)
        gateway.settle()
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        return gateway
    }

    private static let next = #"{"version":2,"advertise":{"minor":8}}"#

    @Test("a refused command keeps the last good identity on the air", arguments: commands)
    func eachCommand(refused: Case) throws {
        let gateway = try Self.advertising(refused.family)
        let saves = gateway.saves
        gateway.misbehave(.refuse(refused.opcode, .limitedResources, times: refused.times))
        gateway.receive(Self.next, of: .gateway)
        gateway.run(milliseconds: 2000)
        let report = gateway.report
        #expect(report.status == .refused)
        #expect(report.versions == LayerVersions(fleet: 1, site: 1, gateway: 1))
        #expect(gateway.saves == saves)
        let error = try #require(report.errors.first)
        #expect(error.layer == .gateway && error.version == 2)
        #expect(error.fault.code == .controllerRefused)
        #expect(error.fault.message.contains("\(refused.opcode)"))
        #expect(error.fault.message.contains("\(HCIStatus.limitedResources)"))
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        #expect(report.radio.advertising)

        guard refused.times != nil else { return }
        gateway.receive(#"{"version":3,"advertise":{"minor":9}}"#, of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 9))
    }

    @Test(
        "settings that the controller refuses at the start are reported and retried",
        arguments: [CommandFamily.legacy, .extended])
    func atStart(family: CommandFamily) throws {
        let before = try Self.advertising(family)
        let gateway = try TunedGateway(restored: before.disk, family: family)
        let enable: Opcode =
            family == .legacy ? .leSetAdvertisingEnable : .leSetExtendedAdvertisingEnable
        gateway.misbehave(.refuse(enable, .limitedResources, times: 3))
        gateway.run(milliseconds: 500)
        #expect(gateway.onAir == nil)
        #expect(!gateway.report.radio.advertising)
        #expect(gateway.report.status == .refused)
        #expect(gateway.report.errors.map(\.layer) == [.gateway])
        gateway.run(milliseconds: 10_000)
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.radio.advertising)
    }

    @Test("a refused document does not prevent the other documents")
    func jointRefusal() throws {
        let gateway = try TunedGateway(family: .legacy, version: .bluetooth42)
        gateway.settle()
        gateway.receive(
            #"{"version":4,"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","major":1,"minor":1}}"#,
            of: .fleet)
        gateway.settle()
        gateway.receive(#"{"version":5,"advertise":{"intervalMs":20}}"#, of: .fleet)
        gateway.receive(SettingsReconcilerTests.site, of: .site)
        gateway.receive(SettingsReconcilerTests.gateway, of: .gateway)
        gateway.run(milliseconds: 10_000)
        // The fleet's newer document removes UUID, major and minor.
        let report = gateway.report
        #expect(report.status == .applied)
        #expect(gateway.onAir == nil)
        gateway.receive(
            #"{"version":6,"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","intervalMs":20}}"#,
            of: .fleet)
        gateway.receive(
            #"{"version":2,"report":{"windowMs":500},"advertise":{"major":43}}"#, of: .site)
        gateway.receive(#"{"version":2,"advertise":{"minor":8}}"#, of: .gateway)
        gateway.run(milliseconds: 10_000)
        #expect(gateway.report.status == .refused)
        #expect(gateway.report.versions == LayerVersions(fleet: 5, site: 2, gateway: 2))
        let errors = gateway.report.errors
        #expect(errors.map(\.layer) == [.fleet])
        #expect(errors.map(\.version) == [6])
        #expect(errors.map(\.fault.pointer.description) == ["/advertise/intervalMs"])
        #expect(errors.first?.fault.message.contains("100 ms") == true)
        gateway.receive(
            #"{"version":7,"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)"}}"#, of: .fleet)
        gateway.settle()
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(43, 8))
        #expect(gateway.report.status == .applied)
    }

    @Test(
        "documents that the controller accepts together apply in any order",
        arguments: SettingsReconcilerTests.orders)
    func anyOrder(order: [Topics.Layer]) throws {
        let gateway = try TunedGateway(family: .legacy, version: .bluetooth42)
        let documents: [Topics.Layer: String] = [
            .fleet:
                #"{"version":1,"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","major":1,"minor":1,"intervalMs":20}}"#,
            .site: SettingsReconcilerTests.site,
            .gateway: #"{"version":1,"advertise":{"minor":7,"intervalMs":100}}"#,
        ]
        for layer in order {
            gateway.receive(try #require(documents[layer]), of: layer)
            gateway.run(milliseconds: 10_000)
        }
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions == LayerVersions(fleet: 1, site: 1, gateway: 1))
    }

    @Test("a refused document is reported until another document replaces it")
    func staysRefused() throws {
        let gateway = try TunedGateway(family: .legacy, version: .bluetooth42)
        gateway.receive(
            #"{"version":1,"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","intervalMs":20}}"#,
            of: .gateway)
        gateway.receive(SettingsReconcilerTests.fleet, of: .fleet)
        gateway.receive(#"{"version":1,"advertise":{"major":1,"minor":7}}"#, of: .site)
        gateway.run(milliseconds: 10_000)
        #expect(gateway.report.errors.map(\.layer) == [.gateway])
        gateway.receive(#"{"version":2,"advertise":{"major":42,"minor":7}}"#, of: .site)
        gateway.run(milliseconds: 10_000)
        #expect(gateway.report.status == .refused)
        #expect(gateway.report.errors.map(\.layer) == [.gateway])
        #expect(gateway.report.versions == LayerVersions(fleet: 1, site: 2))
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        let orders = gateway.orders.count
        gateway.run(milliseconds: 60_000)
        #expect(gateway.orders.count == orders)
        gateway.receive("", of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .applied)
    }

    @Test("a controller that does not answer is reopened with the earlier settings")
    func stall() throws {
        let gateway = try Self.advertising(.legacy)
        gateway.misbehave(.stall(.milliseconds(2500)))
        gateway.receive(Self.next, of: .gateway)
        gateway.run(milliseconds: 10_000)
        #expect(gateway.report.status == .refused)
        #expect(gateway.report.errors.first?.fault.message.contains("did not answer") == true)
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        #expect(gateway.openings == 2)
    }

    @Test("a returning radio advertises the identity in force")
    func goesAway() throws {
        let gateway = try Self.advertising(.extended)
        gateway.lose(RadioFailure(.down, TunedGateway.source, "hci0 is down"))
        gateway.run(milliseconds: 2000)
        #expect(!gateway.report.radio.advertising)
        gateway.transport.controller = SimulatedController(
            .init(family: .extended, address: 0x0200_5e00_5302))
        gateway.lose(nil)
        gateway.run(milliseconds: 40_000)
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 7))
        #expect(gateway.report.radio.address == "02:00:5e:00:53:02")
        #expect(gateway.report.status == .applied)
    }
}

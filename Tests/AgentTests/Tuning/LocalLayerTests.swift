import Beacons
import Contract
import JSON
import Testing
import VirtualRadio

@testable import Agent
@testable import Radio

@Suite struct LocalLayerTests {
    private static let identity =
        #"{"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","major":1,"minor":2}}"#
    private static let other =
        #"{"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","major":1,"minor":3}}"#

    private func sections(_ text: String) throws -> JSON {
        try JSON(parsing: Array(text.utf8), maxBytes: 65_536)
    }

    @Test("a reloaded local file changes the lowest layer and saves no layers")
    func retunes() throws {
        let gateway = try TunedGateway(local: try sections(Self.identity))
        gateway.settle()
        gateway.receive(#"{"version":1,"advertise":{"major":42}}"#, of: .site)
        gateway.settle()
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 2))
        let saves = gateway.saves
        gateway.reload(try sections(Self.other))
        gateway.settle()
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(42, 3))
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions == LayerVersions(site: 1))
        #expect(gateway.saves == saves)
    }

    @Test("a local file that conflicts with the layers stays pending until they change")
    func held() throws {
        let gateway = try TunedGateway(local: try sections(Self.identity))
        gateway.receive(#"{"version":1,"advertise":{"enabled":true}}"#, of: .site)
        gateway.settle()
        gateway.reload(.object([]))
        gateway.settle()
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(1, 2))
        #expect(gateway.report.status == .rejected)
        #expect(gateway.report.errors.allSatisfy { $0.layer == nil && $0.version == nil })
        #expect(!gateway.report.errors.isEmpty)
        gateway.receive("", of: .site)
        gateway.settle()
        #expect(gateway.onAir == nil)
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.errors == [])
    }

    @Test("a refused local file keeps the earlier advertising until a valid file follows")
    func refused() throws {
        let gateway = try TunedGateway(
            local: try sections(Self.identity), version: .bluetooth42)
        gateway.settle()
        let fast =
            #"{"advertise":{"uuid":"\#(SettingsReconcilerTests.uuid)","major":1,"minor":2,"intervalMs":20}}"#
        gateway.reload(try sections(fast))
        gateway.settle()
        #expect(gateway.report.status == .refused)
        #expect(gateway.report.errors.map(\.layer) == [nil])
        #expect(gateway.report.errors.map(\.fault.code) == [.controllerRefused])
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(1, 2))
        gateway.reload(try sections(Self.identity))
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(1, 2))
        gateway.reload(try sections(Self.other))
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(try gateway.onAir?.data == SettingsReconcilerTests.data(1, 3))
    }
}

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

    @Test("The local file, read again, retunes below the layers, and nothing is saved for it")
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

    @Test("What makes no sense with the layers waits, is reported as local, and is taken with them")
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

    @Test("What the controller refuses leaves what worked on the air; the file of before mends it")
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

import Beacons
import Contract
import HCI
import Sightings
import Testing
import VirtualRadio

@testable import Agent
@testable import Radio

@Suite struct SettingsReconcilerTests {
    static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    static let fleet = #"{"version":1,"advertise":{"uuid":"\#(uuid)"}}"#
    static let site = #"{"version":1,"advertise":{"major":42}}"#
    static let gateway = #"{"version":1,"advertise":{"minor":7}}"#

    /// The identity's bytes as they are on the air, for this major and minor.
    static func data(_ major: UInt16, _ minor: UInt16) throws -> [UInt8] {
        let uuid = try #require(ProximityUUID(Self.uuid))
        return IBeacon(
            identity: BeaconIdentity(uuid: uuid, major: major, minor: minor), measuredPower: -59
        ).advertisingData
    }

    static let orders: [[Topics.Layer]] = [
        [.fleet, .site, .gateway], [.fleet, .gateway, .site], [.site, .fleet, .gateway],
        [.site, .gateway, .fleet], [.gateway, .fleet, .site], [.gateway, .site, .fleet],
    ]

    static func text(_ layer: Topics.Layer, isDemanding: Bool) -> String {
        switch layer {
        case .fleet where isDemanding:
            #"{"version":1,"advertise":{"enabled":true,"uuid":"\#(uuid)"}}"#
        case .fleet: fleet
        case .site: site
        case .gateway: gateway
        }
    }

    @Test(
        "Fleet, site and gateway make one identity, in whatever order they come",
        arguments: orders, [false, true])
    func anyOrder(order: [Topics.Layer], isDemanding: Bool) throws {
        let gateway = try TunedGateway()
        for layer in order {
            gateway.settle()
            #expect(gateway.onAir == nil)
            gateway.receive(Self.text(layer, isDemanding: isDemanding), of: layer)
        }
        gateway.settle()
        #expect(try gateway.onAir?.data == Self.data(42, 7))
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.errors == [])
        #expect(gateway.report.versions == LayerVersions(fleet: 1, site: 1, gateway: 1))
        #expect(gateway.disk.versions == gateway.report.versions)
        #expect(gateway.report.radio.advertising)
        #expect(gateway.report.radio.intervalMs == 100)
    }

    @Test("What comes together is tried together, and costs one retune")
    func together() throws {
        let gateway = try TunedGateway()
        gateway.settle()
        gateway.receive(Self.gateway, of: .gateway)
        gateway.receive(Self.fleet, of: .fleet)
        gateway.receive(Self.site, of: .site)
        gateway.settle()
        #expect(gateway.orders.count == 1)
        #expect(try gateway.onAir?.data == Self.data(42, 7))
    }

    @Test("A document that is taken is reported once, when it is in force")
    func reportedOnce() throws {
        let gateway = try TunedGateway()
        gateway.settle()
        gateway.takeReport()
        gateway.receive(Self.fleet, of: .fleet)
        #expect(!gateway.reconciler.isReportDue)
        gateway.settle()
        #expect(gateway.reconciler.isReportDue)
    }

    @Test("Of a flood of documents the newest wins, with at most one retune a second")
    func flood() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.receive(Self.site, of: .site)
        gateway.settle()
        for version in 1...5000 {
            gateway.receive(
                #"{"version":\#(version),"advertise":{"minor":\#(version)}}"#, of: .gateway)
            gateway.run(milliseconds: 1)
        }
        gateway.settle()
        #expect(try gateway.onAir?.data == Self.data(42, 5000))
        #expect(gateway.report.versions.gateway == 5000)
        for (earlier, later) in zip(gateway.orders, gateway.orders.dropFirst()) {
            #expect(later.microseconds(since: earlier) >= 1_000_000)
        }
        #expect(gateway.orders.count >= 5)
    }

    @Test("A version that is not higher is ignored, and what is in force is reported again")
    func versions() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.receive(Self.site, of: .site)
        gateway.receive(#"{"version":5,"advertise":{"minor":7}}"#, of: .gateway)
        gateway.settle()
        for version in [5, 4, 1] {
            gateway.takeReport()
            gateway.receive(
                #"{"version":\#(version),"advertise":{"minor":8}}"#, of: .gateway)
            #expect(gateway.reconciler.isReportDue)
            gateway.settle()
            #expect(try gateway.onAir?.data == Self.data(42, 7))
            #expect(gateway.report.versions.gateway == 5)
            #expect(gateway.report.status == .applied)
        }
    }

    @Test("An empty message removes the layer and its version")
    func removal() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.receive(Self.site, of: .site)
        gateway.receive(#"{"version":9,"advertise":{"minor":7}}"#, of: .gateway)
        gateway.settle()
        gateway.receive("", of: .gateway)
        gateway.settle()
        #expect(gateway.onAir == nil)
        #expect(gateway.report.versions == LayerVersions(fleet: 1, site: 1))
        #expect(gateway.disk.gateway == nil)
        gateway.receive(#"{"version":1,"advertise":{"minor":8}}"#, of: .gateway)
        gateway.settle()
        #expect(try gateway.onAir?.data == Self.data(42, 8))
        #expect(gateway.report.versions.gateway == 1)
    }

    @Test("A document that is wrong changes nothing, and every fault of it is told")
    func wrong() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.settle()
        gateway.receive(
            #"{"version":8,"advertise":{"major":70000,"minr":1},"report":{"windowMs":"1"}}"#,
            of: .gateway)
        gateway.settle()
        let report = gateway.report
        #expect(report.status == .rejected)
        #expect(report.versions == LayerVersions(fleet: 1))
        #expect(
            report.errors.map {
                "\($0.layer?.rawValue ?? "") \($0.version ?? 0) \($0.fault.pointer) \($0.fault.code.rawValue)"
            }
                == [
                    "gateway 8 /advertise/major out-of-range",
                    "gateway 8 /advertise/minr unknown-key",
                    "gateway 8 /report/windowMs wrong-type",
                ])
        // Mended with the same version: that was never in force.
        gateway.receive(#"{"version":8,"advertise":{"major":7}}"#, of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions.gateway == 8)
    }

    @Test("A document too large to be read is refused unread")
    func oversized() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.settle()
        gateway.receiveOversized(.site, bytes: 70_000)
        #expect(gateway.report.status == .rejected)
        #expect(gateway.report.errors.map(\.fault.code) == [.tooLarge])
        #expect(gateway.reconciler.isReportDue)
        #expect(gateway.report.versions == LayerVersions(fleet: 1))
    }

    @Test("What makes no sense with the others is held, told, and taken when it does")
    func held() throws {
        let gateway = try TunedGateway()
        gateway.receive(#"{"version":3,"advertise":{"enabled":true}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.status == .rejected)
        #expect(gateway.report.errors.map(\.fault.code) == [.missing, .missing, .missing])
        #expect(gateway.report.errors.allSatisfy { $0.layer == .fleet && $0.version == 3 })
        gateway.receive(
            #"{"version":1,"advertise":{"uuid":"\#(Self.uuid)","major":42,"minor":7}}"#,
            of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions == LayerVersions(fleet: 3, gateway: 1))
        // Nor may what is needed be taken away.
        gateway.receive("", of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .rejected)
        #expect(gateway.report.errors.first?.version == nil)
        #expect(try gateway.onAir?.data == Self.data(42, 7))
    }

    @Test("What repeats what is on the air sends nothing to the controller")
    func repeats() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.receive(Self.site, of: .site)
        gateway.receive(Self.gateway, of: .gateway)
        gateway.settle()
        let sent = gateway.transport.sent.count
        gateway.receive(#"{"version":2,"advertise":{"minor":7}}"#, of: .gateway)
        gateway.receive(
            #"{"version":2,"report":{"windowMs":500},"advertise":{"major":42}}"#, of: .site)
        gateway.settle()
        #expect(gateway.report.versions == LayerVersions(fleet: 1, site: 2, gateway: 2))
        #expect(gateway.transport.sent.count == sent)
    }

    @Test("What is restored is on the air without a broker, and saved as it was")
    func restored() throws {
        let before = try TunedGateway()
        before.receive(Self.fleet, of: .fleet)
        before.receive(Self.site, of: .site)
        before.receive(Self.gateway, of: .gateway)
        before.settle()
        let gateway = try TunedGateway(restored: before.disk)
        gateway.settle()
        #expect(try gateway.onAir?.data == Self.data(42, 7))
        #expect(gateway.report.versions == LayerVersions(fleet: 1, site: 1, gateway: 1))
        #expect(gateway.orders.isEmpty)
    }

    @Test("A document waits for the radio, and says so")
    func radioIsAway() throws {
        let gateway = try TunedGateway()
        gateway.failure = RadioFailure(.down, TunedGateway.source, "hci0 is down")
        gateway.run(milliseconds: 100)
        gateway.receive(#"{"version":1,"report":{"windowMs":500}}"#, of: .site)
        gateway.settle()
        // What the controller has no part in does not wait.
        #expect(gateway.report.versions == LayerVersions(site: 1))
        #expect(gateway.report.status == .applied)
        gateway.receive(
            #"{"version":1,"advertise":{"uuid":"\#(Self.uuid)","major":42,"minor":7}}"#,
            of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .refused)
        #expect(gateway.report.errors.first?.fault.message.contains("hci0 is down") == true)
        gateway.failure = nil
        gateway.run(milliseconds: 40_000)
        #expect(gateway.report.status == .applied)
        #expect(try gateway.onAir?.data == Self.data(42, 7))
    }

    @Test("What can't be saved holds, is told, and is saved once the disk takes it")
    func diskFull() throws {
        let gateway = try TunedGateway()
        gateway.diskWorks = false
        gateway.receive(Self.fleet, of: .fleet)
        gateway.settle()
        #expect(!gateway.report.isPersisted)
        #expect(gateway.report.status == .applied)
        gateway.diskWorks = true
        gateway.run(milliseconds: 61_000)
        #expect(gateway.report.isPersisted)
        #expect(gateway.disk.versions == LayerVersions(fleet: 1))
    }
}

import Beacons
import Contract
import HCI
import Primitives
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

    /// The advertising data of an identity with this major and minor.
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

    @Test("each document is in force since the radio applied it, also after a restart")
    func since() throws {
        let gateway = try TunedGateway()
        let (first, second) = (5000 as UnixTime, 9000 as UnixTime)
        gateway.wall = first
        gateway.receive(#"{"version":1,"report":{"windowMs":500}}"#, of: .site)
        gateway.settle()
        #expect(gateway.report.since == LayerTimes(site: first))
        gateway.wall = second
        gateway.receive(#"{"version":4,"report":{"windowMs":700}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.since == LayerTimes(fleet: second, site: first))
        let restarted = try TunedGateway(restored: gateway.disk)
        #expect(restarted.report.since == LayerTimes(fleet: second, site: first))
        // The same document again changes nothing; a removal leaves no time.
        gateway.receive(#"{"version":4,"report":{"windowMs":700}}"#, of: .fleet)
        gateway.receive([], of: .site)
        gateway.settle()
        #expect(gateway.report.since == LayerTimes(fleet: second))
        // Without a set clock, the time is unknown.
        gateway.wall = nil
        gateway.receive(#"{"version":5,"report":{"windowMs":800}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.versions == LayerVersions(fleet: 5))
        #expect(gateway.report.since == LayerTimes())
        #expect(gateway.disk.since == LayerTimes())
    }

    @Test(
        "fleet, site and gateway form one identity in any order",
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
        #expect(gateway.disk.documents.versions == gateway.report.versions)
        #expect(gateway.report.radio.advertising)
        #expect(gateway.report.radio.intervalMs == 100)
    }

    @Test("documents that arrive together cause one request")
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

    @Test("an accepted document is reported once, when it is in force")
    func reportedOnce() throws {
        let gateway = try TunedGateway()
        gateway.settle()
        gateway.takeReport()
        gateway.receive(Self.fleet, of: .fleet)
        #expect(!gateway.reconciler.isReportDue)
        gateway.settle()
        #expect(gateway.reconciler.isReportDue)
    }

    @Test("in a flood of documents the newest wins, with at most one request a second")
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
            #expect(later - earlier >= .seconds(1))
        }
        #expect(gateway.orders.count >= 5)
    }

    @Test("an empty message removes the layer and its version")
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
        #expect(gateway.disk.documents.gateway == nil)
        gateway.receive(#"{"version":1,"advertise":{"minor":8}}"#, of: .gateway)
        gateway.settle()
        #expect(try gateway.onAir?.data == Self.data(42, 8))
        #expect(gateway.report.versions.gateway == 1)
    }

    @Test("an invalid document changes nothing, and the report has all its faults")
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
        // A corrected document can have the same version, which was never in force.
        gateway.receive(#"{"version":8,"advertise":{"major":7}}"#, of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions.gateway == 8)
    }

    @Test("an oversized document is rejected unread")
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

    @Test("a document that conflicts with other layers is accepted after the conflict ends")
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
        // A removal can conflict as well.
        gateway.receive("", of: .gateway)
        gateway.settle()
        #expect(gateway.report.status == .rejected)
        #expect(gateway.report.errors.first?.version == nil)
        #expect(try gateway.onAir?.data == Self.data(42, 7))
    }

    @Test("a document without a change sends no command to the controller")
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

    @Test("restored layers are on the air without a request")
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

    @Test("a document stays pending without a radio, and the report has the reason")
    func radioIsAway() throws {
        let gateway = try TunedGateway()
        gateway.failure = RadioFailure(.down, TunedGateway.source, "hci0 is down")
        gateway.run(milliseconds: 100)
        gateway.receive(#"{"version":1,"report":{"windowMs":500}}"#, of: .site)
        gateway.settle()
        // Settings that do not concern the controller are applied.
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

    @Test("layers that can't be saved stay in force, and saving is retried")
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
        #expect(gateway.disk.documents.versions == LayerVersions(fleet: 1))
    }
}

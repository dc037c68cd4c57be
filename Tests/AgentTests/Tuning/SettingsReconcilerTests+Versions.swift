import Contract
import JSON
import Primitives
import Testing

@testable import Agent

/// Versions and digests of documents.
extension SettingsReconcilerTests {
    @Test("a lower version, or the same document again, is ignored and causes a report")
    func versions() throws {
        let gateway = try TunedGateway()
        gateway.receive(Self.fleet, of: .fleet)
        gateway.receive(Self.site, of: .site)
        gateway.receive(#"{"version":5,"advertise":{"minor":7}}"#, of: .gateway)
        gateway.settle()
        let texts = [
            #"{"version":4,"advertise":{"minor":8}}"#, #"{"version":1,"advertise":{"minor":8}}"#,
            #"{"version":5,"advertise":{"minor":7}}"#,
            #"{ "advertise": {"minor": 7.0}, "version": 5 }"#,
        ]
        for text in texts {
            gateway.takeReport()
            gateway.receive(text, of: .gateway)
            #expect(gateway.reconciler.isReportDue)
            gateway.settle()
            #expect(try gateway.onAir?.data == Self.data(42, 7))
            #expect(gateway.report.versions.gateway == 5)
            #expect(gateway.report.status == .applied)
        }
    }

    @Test("an equal version with other content is rejected and reported, until it is gone")
    func conflictingVersion() throws {
        let gateway = try TunedGateway()
        gateway.receive(#"{"version":5,"report":{"windowMs":500}}"#, of: .site)
        gateway.settle()
        let applied = gateway.report
        gateway.receive(#"{"version":5,"report":{"windowMs":2000}}"#, of: .site)
        gateway.settle()
        let report = gateway.report
        #expect(report.status == .rejected)
        #expect(report.versions.site == 5)
        #expect(report.digests == applied.digests)
        #expect(report.effective == applied.effective)
        let fault = try #require(report.errors.first)
        #expect(report.errors.count == 1)
        #expect(fault.layer == .site)
        #expect(fault.version == 5)
        #expect(fault.fault.code == .conflictingVersion)
        #expect("\(fault.fault.pointer)" == "/version")
        // The broker has the document in force again.
        gateway.receive(#"{"version":5,"report":{"windowMs":500}}"#, of: .site)
        gateway.settle()
        #expect(gateway.report == applied)
        gateway.receive(#"{"version":6,"report":{"windowMs":2000}}"#, of: .site)
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions.site == 6)
    }

    @Test("a version too far above the present one is rejected, but a first one can be high")
    func versionStep() throws {
        let gateway = try TunedGateway()
        gateway.receive(#"{"version":7000000,"report":{"windowMs":500}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.versions.fleet == 7_000_000)
        for version in [8_000_001, 9_007_199_254_740_991] {
            gateway.receive(
                #"{"version":\#(version),"report":{"windowMs":2000}}"#, of: .fleet)
            gateway.settle()
            let report = gateway.report
            #expect(report.status == .rejected)
            #expect(report.versions.fleet == 7_000_000)
            #expect(report.errors.map(\.fault.code) == [.outOfRange])
            #expect(report.errors.map { "\($0.fault.pointer)" } == ["/version"])
        }
        gateway.receive(#"{"version":8000000,"report":{"windowMs":2000}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.status == .applied)
        #expect(gateway.report.versions.fleet == 8_000_000)
        // A removal lets the versions begin again; together with a document it changes nothing in between.
        let requests = gateway.orders.count
        gateway.receive("", of: .fleet)
        gateway.receive(#"{"version":1,"report":{"windowMs":2000}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.versions.fleet == 1)
        #expect(gateway.orders.count == requests + 1)
    }

    @Test(
        "a first version that leaves no room for later ones is rejected",
        arguments: [9_007_199_253_740_992, 9_007_199_254_740_991] as [Int64])
    func firstVersion(version: Int64) throws {
        let gateway = try TunedGateway()
        gateway.receive(#"{"version":\#(version),"report":{"windowMs":500}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.versions.fleet == nil)
        #expect(gateway.report.errors.map(\.fault.code) == [.outOfRange])
        gateway.receive(#"{"version":9007199253740991,"report":{"windowMs":500}}"#, of: .fleet)
        gateway.settle()
        #expect(gateway.report.versions.fleet == 9_007_199_253_740_991)
    }

    @Test("the digests in the report are those of the canonical documents")
    func digests() throws {
        let gateway = try TunedGateway()
        gateway.receive(
            #"{ "version": 3, "report": { "windowMs": 5e2 }, "filter": null }"#, of: .site)
        gateway.settle()
        // By coreutils: printf '{"filter":null,"report":{"windowMs":500},"version":3}' | sha256sum
        let digest = "d2b8ced6ce69ce90a9aad40ad9b8967c82c91f4d4b39f2bb85cfff546066cc16"
        #expect(gateway.report.digests == LayerDigests(site: SHA256Digest(hexadecimal: digest)))
        let restarted = try TunedGateway(restored: gateway.disk)
        #expect(restarted.report.digests == gateway.report.digests)
    }
}

import Contract
import JSON
import Testing

@testable import Subcommands

@Suite struct SettingOriginTests {
    /// Documents by layer, as `LayerDocument` would read them.
    private static let documents: [Topics.Layer: DesiredDocument] = [
        .fleet: DesiredDocument(
            Array(
                #"{"version":3,"advertise":{"uuid":"u","major":1},"report":{"windowMs":2000}}"#.utf8
            )),
        .site: DesiredDocument(
            Array(#"{"version":12,"advertise":{"major":42},"filter":{"uuids":["u"]}}"#.utf8)),
        .gateway: DesiredDocument(
            Array(#"{"version":7,"advertise":{"minor":9},"report":null}"#.utf8)),
    ]

    private static func report(_ versions: LayerVersions) -> ReportedMessage {
        ReportedMessage(
            session: "a", versions: versions,
            digests: LayerDigests(
                fleet: documents[.fleet]?.digest, site: documents[.site]?.digest,
                gateway: documents[.gateway]?.digest),
            status: .applied, errors: [],
            effective: [
                "advertise": ["enabled": true, "uuid": "u", "major": 42, "minor": 9],
                "report": ["windowMs": 1000], "filter": ["uuids": ["u"]],
            ], radio: ReportedMessage.Radio(), isPersisted: true)
    }

    private static func origins(
        _ versions: LayerVersions, _ documents: [Topics.Layer: DesiredDocument] = documents
    ) -> [String] {
        SettingOrigin.all(of: report(versions)) { documents[$0] }.map { "\($0.path): \($0.origin)" }
    }

    @Test("the narrowest layer with the key sets the value; null gives way to the default")
    func layers() {
        #expect(
            Self.origins(LayerVersions(fleet: 3, site: 12, gateway: 7)) == [
                "advertise.enabled: local file or default", "advertise.uuid: fleet 3",
                "advertise.major: site 12", "advertise.minor: gateway 7",
                "report.windowMs: local file or default", "filter.uuids: site 12",
            ])
    }

    @Test("a document that the broker does not have in this version leaves its values open")
    func otherVersion() {
        let origins = Self.origins(LayerVersions(fleet: 3, site: 11, gateway: 7))
        #expect(origins[2] == "advertise.major: unknown: the broker lacks site 11")
        #expect(origins[3] == "advertise.minor: gateway 7")
        #expect(
            Self.origins(LayerVersions(fleet: 3, site: 12, gateway: 7), [:]).allSatisfy {
                $0.hasSuffix("unknown: the broker lacks gateway 7")
            })
    }

    @Test("without layers, everything is the gateway's own")
    func noLayers() {
        #expect(
            Self.origins(LayerVersions()).allSatisfy { $0.hasSuffix(": local file or default") })
    }
}

import Contract
import Testing

@testable import Subcommands

@Suite("the changes of many documents together")
struct ChangeSummaryTests {
    private static func revision(
        _ name: LayerName, _ base: String?, _ assignments: [String],
        _ known: KnownVersions = KnownVersions()
    ) throws -> DocumentRevision {
        try DocumentRevision(
            of: name, base: base.map { RetainedDocument(Array($0.utf8)) },
            assignments: assignments.map { try Assignment(parsing: $0) }, known: known,
            mode: .replace)
    }

    private static func gateway(_ number: Int) -> LayerName {
        LayerName(site: "store-\(number / 10)", gateway: "g\(number)")
    }

    private static func lines(_ revisions: [DocumentRevision]) -> [String] {
        ChangeSummary(revisions).lines(colours: false, unicode: true)
    }

    @Test("equal values are one line, many values a range")
    func grouping() throws {
        let revisions = try (0..<200).map { number in
            let power = number < 3 ? -20 : -12
            return try Self.revision(
                Self.gateway(number),
                number == 7 ? #"{"version":1,"advertise":{"minor":7,"txPowerDbm":4}}"# : nil,
                ["advertise.minor=\(number)", "advertise.txPowerDbm=\(power)"])
        }
        #expect(
            Self.lines(revisions) == [
                "199 gateways: + /advertise/minor 0 … 199 (199 values)",
                "store-0/g0, store-0/g1, store-0/g2: + /advertise/txPowerDbm -20",
                "197 gateways: + /advertise/txPowerDbm -12",
                "store-0/g7: - /advertise/txPowerDbm 4",
            ])
    }

    @Test("a site's and a gateway's values are apart; texts have the first and the last")
    func layers() throws {
        let revisions =
            try (1...4).map {
                try Self.revision(LayerName(site: "s\($0)"), nil, ["advertise.major=\($0 % 2)"])
            }
            + (1...4).map {
                try Self.revision(
                    Self.gateway($0), nil,
                    [#"filter.uuids=["\#(UInt64($0))2c56db5-dffb-48d2-b060-d0f5a71096e0"]"#])
            }
        #expect(
            Self.lines(revisions) == [
                "s1, s3: + /advertise/major 1", "s2, s4: + /advertise/major 0",
                #"4 gateways: + /filter/uuids ["12c56db5-dffb-48d2-b060-d0f5a71096e0"] … ["42c56db5-dffb-48d2-b060-d0f5a71096e0"] (4 values)"#,
            ])
    }

    @Test("documents without a difference have their reason; unchanged ones have no line")
    func otherwise() throws {
        let base = #"{"version":2,"advertise":{"major":42}}"#
        let known = Revisions.known(
            RetainedDocument(Array(base.utf8)), [Reports.message(site: 5)])
        let later = try Self.revision(LayerName(site: "s"), base, ["advertise.major=42"], known)
        let same = try Self.revision(LayerName(site: "t"), base, ["advertise.major=42"])
        #expect(later.bytes != nil && same.bytes == nil)
        #expect(
            Self.lines([later, same]) == ["s: no difference, because gateways know a later one"])
    }
}

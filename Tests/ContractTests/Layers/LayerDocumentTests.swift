import Contract
import JSON
import TestVectors
import Testing

@Suite struct LayerDocumentTests {
    /// The faults of a document, each as `pointer code`.
    static func faults(_ bytes: [UInt8]) -> [String] {
        do throws(Faults) {
            _ = try LayerDocument(parsing: bytes)
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code.rawValue)" }
        }
    }

    static func faults(_ text: String) -> [String] { faults(Array(text.utf8)) }

    @Test("a document has a version and a patch with ordered sections")
    func whole() throws {
        let text =
            #"{"report":{"windowMs":2000},"version":12,"advertise":{"major":42,"minor":null},"filter":null}"#
        let document = try LayerDocument(parsing: Array(text.utf8))
        #expect(document.version == 12)
        #expect(
            document.patch.text
                == #"{"report":{"windowMs":2000},"advertise":{"major":42,"minor":null},"filter":null}"#
        )
        #expect(
            document.json.text
                == #"{"version":12,"report":{"windowMs":2000},"advertise":{"major":42,"minor":null},"filter":null}"#
        )
        #expect(document == LayerDocument(version: 12, patch: document.patch))
    }

    @Test(
        "versions are whole numbers from 1 to 2⁵³ − 1",
        arguments: [
            (#"{"version":1}"#, 1, nil), (#"{"version":12.0}"#, 12, nil),
            (#"{"version":2e3}"#, 2000, nil),
            (#"{"version":9007199254740991}"#, 9_007_199_254_740_991, nil),
            (#"{}"#, nil, "/version missing"), (#"{"version":null}"#, nil, "/version missing"),
            (#"{"version":0}"#, nil, "/version out-of-range"),
            (#"{"version":-1}"#, nil, "/version out-of-range"),
            (#"{"version":1.5}"#, nil, "/version wrong-type"),
            (#"{"version":9007199254740992}"#, nil, "/version out-of-range"),
            (#"{"version":9007199254740992.0}"#, nil, "/version out-of-range"),
            (#"{"version":18446744073709551615}"#, nil, "/version out-of-range"),
            (#"{"version":18446744073709551616}"#, nil, "/version out-of-range"),
            (#"{"version":1e300}"#, nil, "/version out-of-range"),
            (#"{"version":1e999}"#, nil, "/version out-of-range"),
            (#"{"version":"1"}"#, nil, "/version wrong-type"),
            (#"{"version":true}"#, nil, "/version wrong-type"),
            (#"{"version":[1]}"#, nil, "/version wrong-type"),
            (#"{"Version":1}"#, nil, "/version missing"),
        ] as [(String, Int64?, String?)])
    func versions(text: String, version: Int64?, fault: String?) throws {
        let bytes = Array(text.utf8)
        #expect((try? LayerDocument(parsing: bytes))?.version == version)
        #expect(LayerDocument.claimedVersion(in: bytes) == version)
        if let fault { #expect(Self.faults(text).first == fault) }
    }

    @Test(
        "an invalid document has a claimed version, an unreadable one has none",
        arguments: [
            (#"{"version":8,"advertise":{"major":70000}}"#, 8), (#"{"version":8,"x":1}"#, 8),
            (#"{"version":8"#, nil), (#"{"version":8,"version":8}"#, nil), (#"[8]"#, nil),
            ("", nil),
        ] as [(String, Int64?)])
    func claimed(text: String, version: Int64?) {
        #expect(!Self.faults(text).isEmpty)
        #expect(LayerDocument.claimedVersion(in: Array(text.utf8)) == version)
    }

    @Test(
        "null removes a known key and is a fault for an unknown one",
        arguments: [
            (#""advertise":null,"report":null,"filter":null"#, []),
            (#""advertise":{"enabled":null,"uuid":null,"major":null,"minor":null}"#, []),
            (
                #""advertise":{"measuredPower":null,"intervalMs":null,"txPowerDbm":null,"keepOnExit":null}"#,
                []
            ),
            (
                #""report":{"windowMs":null,"maxSilenceMs":null,"maxSightingsPerMessage":null}"#,
                []
            ),
            (#""filter":{"uuids":null}"#, []),
            (#""broker":null"#, ["/broker unknown-key"]),
            (#""advertise":{"majro":null}"#, ["/advertise/majro unknown-key"]),
            (#""filter":{"uuids":[null]}"#, ["/filter/uuids/0 wrong-type"]),
        ] as [(String, [String])])
    func nulls(members: String, faults: [String]) {
        #expect(Self.faults(#"{"version":1,\#(members)}"#) == faults)
    }

    @Test("one layer can enable advertising without an identity")
    func partial() {
        for member in ["enabled\":true", "major\":1", "txPowerDbm\":-4", "enabled\":false"] {
            #expect(Self.faults("{\"version\":1,\"advertise\":{\"\(member)}}") == [])
        }
    }

    @Test("all faults are reported together, each with its path")
    func everyFault() {
        let text = """
            {"advertise":{"enabled":"yes","uuid":"x","major":65536,"minor":-1,"measuredPower":-128,
              "intervalMs":19.5,"txPowerDbm":200,"keepOnExit":0,"a/~":1},
             "report":{"windowMs":150,"maxSilenceMs":-1,"maxSightingsPerMessage":0,"maxIdentities":5},
             "filter":{"uuids":["e2c56db5dffb48d2b060d0f5a71096e0","x",1],"majors":[7,65536,"x",1.5]},
             "mqtt":{"host":"elsewhere"},"gateway":{"site":"s"}}
            """
        #expect(
            Self.faults(text) == [
                "/version missing", "/advertise/enabled wrong-type", "/advertise/uuid out-of-range",
                "/advertise/major out-of-range", "/advertise/minor out-of-range",
                "/advertise/measuredPower out-of-range", "/advertise/intervalMs wrong-type",
                "/advertise/txPowerDbm out-of-range", "/advertise/keepOnExit wrong-type",
                "/advertise/a~1~0 unknown-key", "/report/windowMs out-of-range",
                "/report/maxSilenceMs out-of-range",
                "/report/maxSightingsPerMessage out-of-range", "/report/maxIdentities unknown-key",
                "/filter/uuids/1 out-of-range", "/filter/uuids/2 wrong-type",
                "/filter/majors/1 out-of-range", "/filter/majors/2 wrong-type",
                "/filter/majors/3 wrong-type",
                "/mqtt unknown-key", "/gateway unknown-key",
            ])
    }

    @Test(
        "a message that is not a document is one fault",
        arguments: [
            ("", " invalid-json"), ("null", " wrong-type"), ("[]", " wrong-type"),
            ("7", " wrong-type"), (#"{"version":1,}"#, " invalid-json"),
            (#"{"version":1} x"#, " invalid-json"), (#"{"version":1} // x"#, " invalid-json"),
            (#"{"version":1,"version":2}"#, "/version invalid-json"),
            (
                #"{"version":1,"filter":{"uuids":[],"uuid\u0073":[]}}"#,
                "/filter/uuids invalid-json"
            ),
            ("{\"version\":1,\"\\u0000\":1}", " invalid-json"),
        ])
    func none(text: String, fault: String) { #expect(Self.faults(text) == [fault]) }

    @Test("64 KiB are read, one byte more is a fault")
    func size() {
        let document = #"{"version":1}"#
        let blanks = String(repeating: " ", count: 65_536 - document.utf8.count)
        #expect(Self.faults(document + blanks) == [])
        let larger = Array((document + blanks + " ").utf8)
        #expect(Self.faults(larger) == [" too-large"])
        #expect(LayerDocument.claimedVersion(in: larger) == nil)
        // An oversized document is not read: its only fault is the size.
        #expect(Self.faults([UInt8](repeating: 0xff, count: 65_537)) == [" too-large"])
    }

    @Test("16 levels are read, one more is a fault")
    func depth() {
        func nested(_ levels: Int) -> String {
            let arrays = levels - 1
            return #"{"version":1,"x":"# + String(repeating: "[", count: arrays)
                + String(repeating: "]", count: arrays) + "}"
        }
        #expect(Self.faults(nested(16)) == ["/x unknown-key"])
        let deeper = Self.faults(nested(17))
        #expect(deeper.count == 1 && deeper.first?.hasSuffix(" invalid-json") == true)
    }

    @Test("any bytes are a document or faults", arguments: [0x1a7e_5000, 0x1a7e_5001])
    func anyBytes(seed: UInt64) throws {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var documents = 0
        var garbage = 0
        for _ in 0..<3000 {
            let bytes = RandomDocument.bytes(&generator)
            do throws(Faults) {
                let document = try LayerDocument(parsing: bytes)
                documents += 1
                #expect(LayerDocument.claimedVersion(in: bytes) == document.version)
                let again = try LayerDocument(parsing: Array(document.json.text.utf8))
                #expect(again == document, "\(document.json.text)")
                // A valid layer merges into settings or into faults.
                let merged = JSON.object([]).merging(document.patch)
                #expect(!merged.text.contains("null"))
                do throws(Faults) {
                    let tuning = try GatewaySettings(merged: merged)
                    // Without the section `advertise`, the written settings have more members than the layers.
                    if tuning.advertise != nil {
                        #expect(try GatewaySettings(merged: tuning.json).json == tuning.json)
                    }
                } catch {
                    #expect(error.list.allSatisfy { $0.code == .missing }, "\(merged.text)")
                }
            } catch {
                garbage += 1
                #expect(!error.list.isEmpty)
                #expect(error.list.allSatisfy { !$0.message.isEmpty })
            }
        }
        #expect(documents > 300 && garbage > 300, "\(documents) of 3000 are documents")
    }
}

/// Valid, nearly valid and invalid documents.
private enum RandomDocument {
    private static let values: [(key: String, good: [String])] = [
        ("enabled", ["true", "false"]),
        (
            "uuid",
            [#""e2c56db5-dffb-48d2-b060-d0f5a71096e0""#, #""E2C56DB5DFFB48D2B060D0F5A71096E1""#]
        ),
        ("major", ["0", "65535", "7.0", "1e2"]), ("minor", ["0", "-0", "65535"]),
        ("measuredPower", ["-127", "20"]), ("intervalMs", ["20", "10240"]),
        ("txPowerDbm", ["-127", "20"]), ("keepOnExit", ["true", "false"]),
    ]
    private static let reports: [(key: String, good: [String])] = [
        ("windowMs", ["100", "600000"]), ("maxSilenceMs", ["0", "3600000"]),
        ("maxSightingsPerMessage", ["1", "10000"]), ("maxSightingsPerWindow", ["0", "1000000"]),
    ]
    private static let filters: [(key: String, good: [String])] = [
        ("uuids", ["[]", #"["e2c56db5-dffb-48d2-b060-d0f5a71096e0"]"#]),
        ("majors", ["[]", "[0,65535]"]),
    ]
    private static let bad = [
        "-1", "70000", "1.5", "1e300", #""""#, "[]", "{}", "[null]", "true", #"{"a":null}"#,
    ]

    static func bytes(_ generator: inout SeededGenerator) -> [UInt8] {
        let wrongOnce = generator.oneIn(2) ? 0 : 12
        var sections = [
            #""version":"#
                + (generator.oneIn(15) ? "0" : "\(UInt32.random(in: 1...9, using: &generator))")
        ]
        for (name, members) in [
            ("advertise", values), ("report", reports), ("filter", filters),
        ] where generator.oneIn(2) {
            let texts = members.filter { _ in generator.oneIn(2) }.map { member in
                "\"\(member.key)\":" + value(member.good, wrongOnce, &generator)
            }
            let section = generator.oneIn(9) ? "null" : "{\(texts.joined(separator: ","))}"
            sections.append("\"\(name)\":" + section)
        }
        if wrongOnce > 0, generator.oneIn(8) { sections.append(#""unknown":null"#) }
        sections.shuffle(using: &generator)
        var bytes = Array("{\(sections.joined(separator: ","))}".utf8)
        guard generator.oneIn(4) else { return bytes }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
        }
        if generator.oneIn(3) {
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
        }
        return bytes
    }

    private static func value(
        _ good: [String], _ wrongOnce: Int, _ generator: inout SeededGenerator
    ) -> String {
        if generator.oneIn(6) { return "null" }
        let isWrong = wrongOnce > 0 && generator.oneIn(wrongOnce)
        return (isWrong ? bad : good).randomElement(using: &generator) ?? "null"
    }
}

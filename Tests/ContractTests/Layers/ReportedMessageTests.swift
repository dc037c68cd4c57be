import Contract
import Foundation
import JSON
import Primitives
import TestVectors
import Testing

@Suite struct ReportedMessageTests {
    private static let radio = ReportedMessage.Radio(
        address: "02:00:00:00:00:01", advertising: true, intervalMs: 100, txPowerDbm: 0,
        commands: "legacy")
    private static let digests = LayerDigests(
        fleet: SHA256Digest(of: []), gateway: SHA256Digest(of: Array("abc".utf8)))
    private static let message = ReportedMessage(
        session: "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10",
        versions: LayerVersions(fleet: 3, site: 12, gateway: 7), digests: digests,
        since: LayerTimes(fleet: 1_780_000_000_125), status: .applied,
        errors: [],
        effective: ["advertise": ["enabled": false], "report": ["windowMs": 1000]],
        radio: radio, isPersisted: true)
    private static let text =
        #"{"v":1,"session":"0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10","#
        + #""versions":{"fleet":3,"site":12,"gateway":7},"#
        + #""digests":{"fleet":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","#
        + #""site":null,"gateway":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},"#
        + #""since":{"fleet":1780000000125,"site":null,"gateway":null},"#
        + #""status":"applied","errors":[],"#
        + #""effective":{"advertise":{"enabled":false},"report":{"windowMs":1000}},"#
        + #""radio":{"address":"02:00:00:00:00:01","advertising":true,"intervalMs":100,"txPowerDbm":0,"commands":"legacy"},"#
        + #""persisted":true}"#

    private static func text(_ message: ReportedMessage) -> String {
        String(decoding: message.encoded, as: UTF8.self)
    }

    @Test("the example message is written byte by byte and read back")
    func example() throws {
        #expect(Self.text(Self.message) == Self.text)
        #expect(try ReportedMessage(decoding: Array(Self.text.utf8)) == Self.message)
    }

    @Test("a document's fault is written with layer, version, path and code")
    func fault() throws {
        let document = Array(#"{"version":8,"advertise":{"major":70000}}"#.utf8)
        do throws(Faults) {
            _ = try LayerDocument(parsing: document)
            Issue.record("taken")
        } catch {
            var message = Self.message
            message.status = .rejected
            message.errors = error.list.map {
                LayerFault(
                    layer: .gateway, version: LayerDocument.claimedVersion(in: document), fault: $0)
            }
            #expect(
                Self.text(message).contains(
                    #""status":"rejected","errors":[{"layer":"gateway","version":8,"path":"/advertise/major","#
                        + #""code":"out-of-range","message":"major must be 0…65535, not 70000"}],"effective":"#
                ))
            #expect(try ReportedMessage(decoding: message.encoded) == message)
        }
    }

    @Test("an absent value is written as null and read as absent")
    func nulls() throws {
        let message = ReportedMessage(
            session: "s", versions: LayerVersions(site: 2), status: .refused,
            errors: [
                LayerFault(
                    layer: nil, version: nil,
                    fault: Fault(.root.appending("advertise"), .controllerRefused, "no"))
            ], effective: .object([]), radio: ReportedMessage.Radio(), isPersisted: false)
        #expect(
            Self.text(message)
                == #"{"v":1,"session":"s","versions":{"fleet":null,"site":2,"gateway":null},"digests":{"fleet":null,"site":null,"gateway":null},"since":{"fleet":null,"site":null,"gateway":null},"status":"refused","#
                + #""errors":[{"layer":"local","path":"/advertise","code":"controller-refused","message":"no"}],"#
                + #""effective":{},"radio":{"address":null,"advertising":false,"intervalMs":null,"txPowerDbm":null,"#
                + #""commands":null},"persisted":false}"#)
        #expect(try ReportedMessage(decoding: message.encoded) == message)
    }

    @Test(
        "every state, layer, code and interval is read back",
        arguments: Fault.Code.allCases, [100, 100.625, 10_240, 0.1])
    func roundTrip(code: Fault.Code, interval: Double) throws {
        for status in ReportedMessage.Status.allCases {
            for layer in Topics.Layer.allCases + [nil] {
                var message = Self.message
                message.status = status
                message.versions[.fleet] = nil
                message.radio.intervalMs = interval
                message.radio.txPowerDbm = -12
                message.errors = [1, nil].map {
                    LayerFault(
                        layer: layer, version: $0,
                        fault: Fault(.root.appending("a/b").appending(0), code, "“x”\n\u{7f}\"\\"))
                }
                #expect(try ReportedMessage(decoding: message.encoded) == message)
            }
        }
    }

    @Test("a whole interval is written as an integer, another one with its fraction")
    func intervals() {
        var message = Self.message
        message.radio.intervalMs = 100.625
        #expect(Self.text(message).contains(#""intervalMs":100.625,"#))
        message.radio.intervalMs = 20
        #expect(Self.text(message).contains(#""intervalMs":20,"#))
    }

    @Test("unknown members are ignored at every level")
    func tolerance() throws {
        var text = Self.text
        for object in [#"{"v""#, #"{"fleet""#, #"{"address""#, #"{"enabled""#] {
            let parts = text.split(separator: object, maxSplits: 1)
            #expect(parts.count == (object == #"{"v""# ? 1 : 2))
            guard let last = parts.last, let first = parts.count == 2 ? parts.first : "" else {
                continue
            }
            text = first + #"{"new":[{}],"# + object.dropFirst() + last
        }
        let message = try ReportedMessage(decoding: Array(text.utf8))
        #expect(message.versions == Self.message.versions)
        #expect(message.radio == Self.message.radio)
        #expect(message.effective["advertise"]?["new"] == .array([.object([])]))
    }

    @Test("a report without digests, as of version 0.1, is read")
    func withoutDigests() throws {
        var message = Self.message
        message.digests = LayerDigests()
        let member = #""digests":{"fleet":null,"site":null,"gateway":null},"#
        let parts = Self.text(message).components(separatedBy: member)
        #expect(parts.count == 2)
        #expect(try ReportedMessage(decoding: Array(parts.joined().utf8)) == message)
    }

    @Test("all faults of required members are reported together")
    func faults() {
        let text =
            #"{"v":2,"versions":{"fleet":0,"site":"1"},"digests":{"fleet":"ABC"},"status":"done","errors":[{"layer":"site"},5],"#
            + #""radio":{"advertising":1,"txPowerDbm":1.5}}"#
        do throws(Faults) {
            _ = try ReportedMessage(decoding: Array(text.utf8))
            Issue.record("taken for a message")
        } catch {
            #expect(
                error.list.map { "\($0.pointer) \($0.code.rawValue)" } == [
                    "/v out-of-range", "/session missing", "/versions/fleet out-of-range",
                    "/versions/site wrong-type", "/digests/fleet out-of-range",
                    "/status out-of-range",
                    "/errors/0/path missing", "/errors/0/code missing", "/errors/0/message missing",
                    "/errors/1 wrong-type", "/radio/advertising wrong-type",
                    "/radio/txPowerDbm wrong-type",
                ])
        }
    }

    @Test("documents with thousands of faults give a readable message")
    func manyErrors() throws {
        let keys = (0..<6500).map { "\"\($0)\":0" }.joined(separator: ",")
        // A control character of one byte takes six in JSON.
        let long = String(repeating: "\u{7f}", count: 65_000)
        var message = Self.message
        message.errors = [
            (Topics.Layer.fleet, #"{"version":1,"\#(long)":0}"#),
            (.site, #"{"version":2,"\#(long)":0}"#), (.gateway, #"{"version":3,\#(keys)}"#),
        ].flatMap { layer, text -> [LayerFault] in
            do throws(Faults) {
                _ = try LayerDocument(parsing: Array(text.utf8))
                return []
            } catch {
                return error.list.map { LayerFault(layer: layer, version: 1, fault: $0) }
            }
        }
        #expect(message.errors.count == 6502)
        // Long keys are shortened.
        #expect(message.errors.allSatisfy { $0.fault.pointer.description.utf8.count <= 203 })
        let read = try ReportedMessage(decoding: message.encoded)
        #expect(read.errors.count == ReportedMessage.maxErrors)
        #expect(read.errors.dropLast() == message.errors.prefix(ReportedMessage.maxErrors - 1))
        #expect(
            read.errors.last
                == LayerFault(
                    layer: .gateway, version: 1,
                    fault: Fault(.root, .tooLarge, "6303 more faults are not listed")))
        message.errors.removeLast(6502 - ReportedMessage.maxErrors)
        #expect(try ReportedMessage(decoding: message.encoded) == message)
    }

    @Test("every prefix and every flipped byte is a message or faults", arguments: [0x4e90])
    func damage(seed: UInt64) {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let bytes = Self.message.encoded
        for count in bytes.indices {
            #expect(throws: Faults.self) { try ReportedMessage(decoding: Array(bytes[..<count])) }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= UInt8.random(in: 1...255, using: &generator)
            guard let message = try? ReportedMessage(decoding: damaged) else { continue }
            #expect((try? ReportedMessage(decoding: message.encoded)) == message)
        }
    }

    @Test("each layer has its own version")
    func versions() {
        for layer in Topics.Layer.allCases {
            var versions = LayerVersions()
            versions[layer] = 5
            #expect(
                Topics.Layer.allCases.map { versions[$0] }
                    == Topics.Layer.allCases.map {
                        $0 == layer ? 5 : nil
                    })
        }
        let all = LayerVersions(fleet: 1, site: 2, gateway: 3)
        #expect([all[.fleet], all[.site], all[.gateway]] == [1, 2, 3])
    }
}

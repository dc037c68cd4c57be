import Foundation
import MessageSamples
import Testing

@testable import Subcommands

@Suite("messages as JSON")
struct MessageLineTests {
    private static func object(_ payload: String) throws -> (line: String, object: [String: Any]) {
        let bytes = MessageLine.bytes(
            topic: "sightline/v1/store-042/entry-1/health", of: Samples.entry,
            payload: Array(payload.utf8), isRetained: false)
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return (String(decoding: bytes, as: UTF8.self), try #require(object))
    }

    @Test("a message keeps its digits, on one line")
    func message() throws {
        let (line, object) = try Self.object("{\"seq\":\r\n18446744073709551615}")
        #expect(object["topic"] as? String == "sightline/v1/store-042/entry-1/health")
        #expect(object["site"] as? String == "store-042")
        #expect(object["gateway"] as? String == "entry-1")
        #expect(line.hasSuffix("\"message\":{\"seq\":  18446744073709551615}}\n"))
        #expect(line.filter { $0.isNewline }.count == 1)
    }

    @Test("a payload that is not JSON has no message", arguments: ["{", "\u{1b}[2J", "{}{}"])
    func invalid(payload: String) throws {
        let (_, object) = try Self.object(payload)
        #expect(object["message"] is NSNull)
        #expect((object["invalid"] as? String)?.contains("\u{1b}") == false)
    }

    @Test("an empty payload is null")
    func empty() throws {
        let (_, object) = try Self.object("")
        #expect(object["message"] is NSNull)
        #expect(object["invalid"] == nil)
    }
}

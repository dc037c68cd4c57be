import Beacons
import Configuration
import Foundation
import JSON
import Posix
import Testing

@Suite struct LocalConfigurationTests {
    static let gateway = #""gateway":{"site":"s","id":"g"}"#
    static let mqtt = #""mqtt":{"host":"h"}"#

    /// A complete file, but for what `members` say.
    static func file(_ members: String) -> String { "{\(gateway),\(mqtt),\(members)}" }

    static func faults(_ text: String, requiresBroker: Bool = true) -> [Fault] {
        do throws(Faults) {
            _ = try LocalConfiguration(parsing: Array(text.utf8), requiresBroker: requiresBroker)
            return []
        } catch {
            return error.list
        }
    }

    @Test("TLS decides the default port")
    func port() throws {
        #expect(try broker(#""mqtt":{"host":"h"}"#)?.port == 1883)
        #expect(try broker(#""mqtt":{"host":"h","tls":{}}"#)?.port == 8883)
        #expect(try broker(#""mqtt":{"host":"::1","port":99,"tls":{}}"#)?.port == 99)
    }

    private func broker(_ mqtt: String) throws -> BrokerSettings? {
        let text = "{\(Self.gateway),\(mqtt)}"
        return try LocalConfiguration(parsing: Array(text.utf8), requiresBroker: true).broker
    }

    @Test("output to standard output needs no broker")
    func noBroker() { #expect(Self.faults("{\(Self.gateway)}", requiresBroker: false) == []) }

    @Test("a misspelt key gets the nearest key as a suggestion")
    func suggestion() {
        let faults = Self.faults(#"{\#(Self.gateway),"mqtt":{"hots":"h","host":"h"},"raido":{}}"#)
        #expect(
            faults.map(\.message) == [
                "unknown key “hots”; did you mean “host”?",
                "unknown key “raido”; did you mean “radio”?",
            ])
    }

    @Test("the known keys are listed once for each object")
    func unknownKeys() {
        let faults = Self.faults(
            #"{\#(Self.gateway),"mqtt":{"host":"h","qqqqqq":1,"zzzzzz":2},"xxxxxx":{}}"#)
        #expect(faults.map { $0.message.contains("; expected ") } == [true, false, true])
    }

    @Test(
        "a value of the wrong type gets the expected type in its fault",
        arguments: [
            (#""port":1883.5"#, "port must be a whole number, not 1883.5"),
            (#""port":"1883""#, "port must be a whole number, not a string"),
            (
                #""protocol":5"#,
                #"protocol must be one of "auto", "5", "3.1.1", in quotes, not an integer"#
            ),
            (
                #""protocol":"4""#,
                #"protocol must be one of "auto", "5", "3.1.1", not “4”"#
            ),
            (
                #""root":"a//b""#,
                "root must be such as sightline/v1: at most 200 bytes, without +, #,"
                    + " empty levels, or $ at the start, not “a//b”"
            ),
        ])
    func wrongType(member: String, sentence: String) {
        let faults = Self.faults(#"{\#(Self.gateway),"mqtt":{"host":"h",\#(member)}}"#)
        #expect(faults.map(\.message) == [sentence])
    }

    @Test("a number's fault gives the expected and the present value")
    func sentence() {
        let faults = Self.faults(Self.file(#""advertise":{"enabled":false,"major":70000}"#))
        #expect(faults.map(\.message) == ["major must be 0…65535, not 70000"])
    }
}

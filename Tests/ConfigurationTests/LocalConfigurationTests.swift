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

    struct Bad: Sendable, CustomTestStringConvertible {
        let text: String
        /// `pointer code` of each fault, in order.
        let expected: [String]

        init(_ text: String, _ expected: String...) {
            self.text = text
            self.expected = expected
        }

        var testDescription: String { text }
    }

    /// Not written in the macro's argument: an older compiler can't take interpolated strings there.
    static let badFiles: [Bad] = [
        Bad("", " invalid-json"),
        Bad("[]", " wrong-type"),
        Bad("{}", "/gateway missing", "/mqtt missing"),
        Bad("{\(gateway)}", "/mqtt missing"),
        Bad("{\(mqtt)}", "/gateway missing"),
        Bad("{\(gateway),\(mqtt),\(mqtt)}", "/mqtt invalid-json"),
        Bad(#"{"gateway":{},\#(mqtt)}"#, "/gateway/site missing", "/gateway/id missing"),
        Bad(#"{"gateway":[],\#(mqtt)}"#, "/gateway wrong-type"),
        Bad(#"{"gateway":{"site":"a b","id":"g"},\#(mqtt)}"#, "/gateway/site out-of-range"),
        Bad(#"{"gateway":{"site":"s","id":"é"},\#(mqtt)}"#, "/gateway/id out-of-range"),
        Bad(
            #"{"gateway":{"site":"","id":7},\#(mqtt)}"#, "/gateway/site out-of-range",
            "/gateway/id wrong-type"),
        Bad(#"{\#(gateway),"mqtt":{}}"#, "/mqtt/host missing"),
        Bad(#"{\#(gateway),"mqtt":{"host":"mqtt://h"}}"#, "/mqtt/host out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h:1883"}}"#, "/mqtt/host out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","port":0}}"#, "/mqtt/port out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","port":65536}}"#, "/mqtt/port out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","port":1.5}}"#, "/mqtt/port wrong-type"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","port":"1883"}}"#, "/mqtt/port wrong-type"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","port":null}}"#, "/mqtt/port wrong-type"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","prot":1}}"#, "/mqtt/prot unknown-key"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","root":"a//b"}}"#, "/mqtt/root out-of-range"),
        Bad(
            #"{\#(gateway),"mqtt":{"host":"h","protocol":"4"}}"#, "/mqtt/protocol out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","protocol":5}}"#, "/mqtt/protocol wrong-type"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","passwordFile":"p"}}"#, "/mqtt/username missing"),
        Bad(
            #"{\#(gateway),"mqtt":{"host":"h","keepAliveSeconds":4}}"#,
            "/mqtt/keepAliveSeconds out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","clientId":""}}"#, "/mqtt/clientId out-of-range"),
        Bad(#"{\#(gateway),"mqtt":{"host":"h","tls":true}}"#, "/mqtt/tls wrong-type"),
        Bad(
            #"{\#(gateway),"mqtt":{"host":"h","tls":{"certFile":"c"}}}"#,
            "/mqtt/tls/keyFile missing"),
        Bad(
            #"{\#(gateway),"mqtt":{"host":"h","tls":{"keyFile":"k"}}}"#,
            "/mqtt/tls/certFile missing"),
        Bad(file(#""radio":{"source":"hci"}"#), "/radio/source out-of-range"),
        Bad(file(#""radio":"hci0""#), "/radio wrong-type"),
        Bad(file(#""radio":{"reference":7}"#), "/radio/reference wrong-type"),
        Bad(
            file(#""radio":{"reference":[{"uuid":"x","major":70000}]}"#),
            "/radio/reference/0/uuid out-of-range", "/radio/reference/0/major out-of-range",
            "/radio/reference/0/minor missing"),
        Bad(
            file(#""radio":{"reference":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}"#),
            "/radio/reference too-large"),
        Bad(file(#""report":{"windowMs":99}"#), "/report/windowMs out-of-range"),
        Bad(file(#""report":{"windowMs":150}"#), "/report/windowMs out-of-range"),
        Bad(file(#""report":{"windowMs":600100}"#), "/report/windowMs out-of-range"),
        Bad(file(#""report":{"maxSilenceMs":-1}"#), "/report/maxSilenceMs out-of-range"),
        Bad(
            file(#""report":{"maxSilenceMs":99999999999999999999}"#),
            "/report/maxSilenceMs out-of-range"),
        Bad(
            file(#""report":{"maxSightingsPerMessage":0}"#),
            "/report/maxSightingsPerMessage out-of-range"),
        Bad(file(#""report":{"maxIdentities":1000001}"#), "/report/maxIdentities out-of-range"),
        Bad(
            file(#""filter":{"uuids":["x",1]}"#), "/filter/uuids/0 out-of-range",
            "/filter/uuids/1 wrong-type"),
        Bad(file(#""filter":{"uuids":"x"}"#), "/filter/uuids wrong-type"),
        Bad(file(#""filter":{"UUIDs":[]}"#), "/filter/UUIDs unknown-key"),
        Bad(
            file(#""advertise":{"enabled":true}"#), "/advertise/uuid missing",
            "/advertise/major missing", "/advertise/minor missing"),
        Bad(
            file(#""advertise":{"enabled":true,"uuid":1,"minor":7}"#), "/advertise/uuid wrong-type",
            "/advertise/major missing"),
        Bad(
            file(#""advertise":{"enabled":false,"major":65536}"#),
            "/advertise/major out-of-range"),
        Bad(
            file(#""advertise":{"enabled":false,"minor":-1}"#), "/advertise/minor out-of-range"),
        Bad(
            file(#""advertise":{"enabled":false,"measuredPower":-128}"#),
            "/advertise/measuredPower out-of-range"),
        Bad(
            file(#""advertise":{"enabled":false,"measuredPower":21}"#),
            "/advertise/measuredPower out-of-range"),
        Bad(
            file(#""advertise":{"enabled":false,"intervalMs":19}"#),
            "/advertise/intervalMs out-of-range"),
        Bad(
            file(#""advertise":{"enabled":false,"intervalMs":10241}"#),
            "/advertise/intervalMs out-of-range"),
        Bad(
            file(#""advertise":{"enabled":false,"txPowerDbm":21}"#),
            "/advertise/txPowerDbm out-of-range"),
        Bad(file(#""advertise":{"enabled":"no"}"#), "/advertise/enabled wrong-type"),
        Bad(file(#""outbox":{"maxBytes":65535}"#), "/outbox/maxBytes out-of-range"),
        Bad(file(#""outbox":{"path":""}"#), "/outbox/path out-of-range"),
        Bad(file(#""outbox":{"maxAgeHours":0}"#), "/outbox/maxAgeHours out-of-range"),
        Bad(file(#""stateDirectory":"a\u0000b""#), "/stateDirectory invalid-json"),
        Bad(file(#""log":{"level":"verbose"}"#), "/log/level out-of-range"),
        Bad(file(#""log":{"format":"xml"}"#), "/log/format out-of-range"),
        Bad(file(#""x/y~z":1"#), "/x~1y~0z unknown-key"),
        Bad(
            #"{"gateway":{"site":"s","id":"g","x":1},"mqtt":{"host":1},"logs":{}}"#,
            "/gateway/x unknown-key", "/mqtt/host wrong-type", "/logs unknown-key"),
    ]

    @Test(
        "an invalid configuration is refused with the place and kind of each fault",
        arguments: badFiles)
    func bad(_ bad: Bad) {
        let faults = Self.faults(bad.text)
        #expect(faults.map { "\($0.pointer) \($0.code.rawValue)" } == bad.expected)
        #expect(faults.allSatisfy { !$0.message.isEmpty })
    }

    @Test(
        "values at the limits are valid",
        arguments: [
            #""report":{"windowMs":100,"maxSilenceMs":0,"maxSightingsPerMessage":1,"maxIdentities":1}"#,
            #""report":{"windowMs":600000,"maxSilenceMs":3600000,"maxSightingsPerMessage":10000,"maxIdentities":1000000}"#,
            #""report":{"windowMs":1e3}"#,
            #""advertise":{}"#,
            #""advertise":{"enabled":false}"#,
            #""advertise":{"measuredPower":-60,"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0"}"#,
            #""advertise":{"uuid":"E2C56DB5DFFB48D2B060D0F5A71096E0","major":0,"minor":65535,"measuredPower":-127,"intervalMs":20,"txPowerDbm":20}"#,
            #""outbox":{"spillAfterMs":0,"maxBytes":65536,"maxAgeHours":8760}"#,
            #""filter":{}"#,
            #""filter":{"uuids":[]}"#,
        ])
    func good(members: String) { #expect(Self.faults(Self.file(members)) == []) }

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
                "“hots” is no key that is known here; did you mean “host”?",
                "“raido” is no key that is known here; did you mean “radio”?",
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

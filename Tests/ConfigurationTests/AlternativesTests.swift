import Configuration
import JSON
import Testing

@Suite("the alternatives of a broker")
struct AlternativesTests {
    /// A file whose section `mqtt` has these members.
    private static func file(_ members: String) -> String {
        #"{"gateway":{"site":"s","id":"g"},"mqtt":{\#(members)}}"#
    }

    private func configuration(_ members: String) throws -> LocalConfiguration {
        try LocalConfiguration(parsing: Array(Self.file(members).utf8), requiresBroker: true)
    }

    @Test("an alternative inherits members, and null removes them")
    func merged() throws {
        let configuration = try configuration(
            #""host":"a","root":"r","username":"u","passwordFile":"p","tls":{"caFile":"c"},"#
                + #""alternatives":[{"host":"b","tls":{"certFile":"x","keyFile":"y"}},"#
                + #"{"port":1,"tls":null,"passwordFile":null,"protocol":"3.1.1"}]"#)
        #expect(configuration.topics.root == "r")
        #expect(configuration.broker?.port == 8883)
        let first = BrokerSettings {
            $0.host = "b"
            $0.port = 8883
            $0.username = "u"
            $0.passwordFile = "p"
            $0.tls = BrokerSettings.TLS {
                $0.caFile = "c"
                $0.certFile = "x"
                $0.keyFile = "y"
            }
        }
        let second = BrokerSettings {
            $0.host = "a"
            $0.port = 1
            $0.protocolVersion = .v311
            $0.username = "u"
        }
        #expect(configuration.alternatives == [first, second])
    }

    @Test("the merged TLS decides the default port, unless the section gives a port")
    func port() throws {
        let without = try configuration(#""host":"a","tls":{},"alternatives":[{"tls":null}]"#)
        #expect(without.alternatives.map(\.port) == [1883])
        let given = try configuration(#""host":"a","port":7,"alternatives":[{"tls":{}}]"#)
        #expect(given.alternatives.map(\.port) == [7])
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// `pointer code` of each fault, in order.
        let expected: [String]

        init(_ members: String, _ expected: String...) {
            testDescription = members
            self.expected = expected
        }
    }

    static let bad: [Bad] = [
        Bad(#""host":"a","alternatives":{}"#, "/mqtt/alternatives wrong-type"),
        Bad(
            #""host":"a","alternatives":[{},"b",null]"#, "/mqtt/alternatives/1 wrong-type",
            "/mqtt/alternatives/2 wrong-type"),
        Bad(
            #""host":"a","alternatives":[{},{"port":0}]"#,
            "/mqtt/alternatives/1/port out-of-range"),
        Bad(
            #""host":"a","root":"r","alternatives":[{"root":"q"}]"#,
            "/mqtt/alternatives/0/root unknown-key"),
        Bad(
            #""host":"a","alternatives":[{"alternatives":[]}]"#,
            "/mqtt/alternatives/0/alternatives unknown-key"),
        Bad(
            #""host":"a","alternatives":[{"host":null}]"#, "/mqtt/alternatives/0/host missing"),
        Bad(
            #""host":"a","username":"u","passwordFile":"p","alternatives":[{"username":null}]"#,
            "/mqtt/alternatives/0/username missing"),
        Bad(
            #""host":"a","tls":{"certFile":"c","keyFile":"k"},"alternatives":[{"tls":{"keyFile":null}}]"#,
            "/mqtt/alternatives/0/tls/keyFile missing"),
        // A fault of the section appears once, next to the alternative's own.
        Bad(
            #""host":"a","port":0,"prot":1,"alternatives":[{},{"port":70000,"hots":1}]"#,
            "/mqtt/port out-of-range", "/mqtt/prot unknown-key",
            "/mqtt/alternatives/1/port out-of-range", "/mqtt/alternatives/1/hots unknown-key"),
        Bad(
            #""host":"a","alternatives":[{},{},{},{},{},{},{},{},{}]"#,
            "/mqtt/alternatives too-large"),
    ]

    @Test("faults have their place in the alternative", arguments: bad)
    func faults(bad: Bad) {
        do throws(Faults) {
            let bytes = Array(Self.file(bad.testDescription).utf8)
            _ = try LocalConfiguration(parsing: bytes, requiresBroker: true)
            Issue.record("no fault")
        } catch {
            let told = error.list.map { "\($0.pointer) \($0.code.rawValue)" }
            #expect(Set(told) == Set(bad.expected))
            #expect(told.count == bad.expected.count)
        }
    }
}

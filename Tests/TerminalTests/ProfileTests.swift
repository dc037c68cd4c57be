import CommandLine
import MQTT
import Terminal
import TestSupport
import Testing

/// Which broker and credentials a command uses.
@Suite struct ProfileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let command = Command(
        name: "sightline watch", summary: "",
        options: BrokerOptions.place + [
            Option("site", value: "SITE", help: ""), BrokerOptions.clocks,
        ]
            + BrokerOptions.credentials)

    private func write(_ text: String, to name: String) throws {
        try Tool.run("mkdir", ["-p", folder.file("sightline/\(name)")])
        try folder.write(text, to: "sightline/\(name)/profile.json")
    }

    /// The options of a command line with these variables.
    private func options(
        _ arguments: [String] = [], _ variables: [String: String] = [:],
        command: Command = command
    ) throws -> (options: BrokerOptions, invocation: Invocation) {
        guard case .run(let invocation) = try command.parse(arguments) else {
            throw TestFailure("no invocation")
        }
        let all = variables.merging(["XDG_CONFIG_HOME": folder.path]) { own, _ in own }
        return (try BrokerOptions(invocation, Environment { all[$0] }), invocation)
    }

    private func failure(
        _ arguments: [String] = [], _ variables: [String: String] = [:]
    ) -> String {
        do {
            _ = try options(arguments, variables)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "an option comes before the environment, the environment before a profile, and the local broker last",
        arguments: [
            ([], [:], "mqtt://usual:1883"),
            (["--profile", "a"], [:], "mqtt://a:1883"),
            (["--profile", "a"], ["SIGHTLINE_BROKER": "mqtt://env"], "mqtt://a:1883"),
            (["--profile", "a"], ["SIGHTLINE_PROFILE": "b"], "mqtt://a:1883"),
            (["--broker", "mqtt://x"], ["SIGHTLINE_PROFILE": "b"], "mqtt://x:1883"),
            ([], ["SIGHTLINE_BROKER": "mqtt://env", "SIGHTLINE_PROFILE": "b"], "mqtt://env:1883"),
            ([], ["SIGHTLINE_PROFILE": "b"], "mqtt://b:1883"),
            ([], ["SIGHTLINE_BROKER": "", "SIGHTLINE_PROFILE": ""], "mqtt://usual:1883"),
            ([], ["XDG_CONFIG_HOME": "/nowhere"], "mqtt://localhost:1883"),
        ] as [([String], [String: String], String)])
    func precedence(arguments: [String], variables: [String: String], broker: String) throws {
        for name in ["a", "b"] { try write("{\"broker\": \"mqtt://\(name)\"}", to: name) }
        try write("{\"broker\": \"mqtt://usual\"}", to: "default")
        let options = try options(arguments, variables).options
        #expect("\(options.broker)" == broker)
        // Only a user who has chosen no broker needs this remedy.
        #expect((options.advice != nil) == (broker == "mqtt://localhost:1883"))
    }

    @Test("a profile in any folder says whether commands accept clocks that are not set")
    func clocks() throws {
        try write(#"{"broker": "mqtt://a", "acceptUnsyncedClocks": true}"#, to: "a")
        try write(#"{"broker": "mqtt://b"}"#, to: "b")
        let path = folder.file("sightline/a")
        #expect(try options([], ["SIGHTLINE_PROFILE": path]).options.acceptsUnsyncedClocks)
        #expect(try options(["--profile", "a"]).options.acceptsUnsyncedClocks)
        #expect(try !options(["--profile", "b"]).options.acceptsUnsyncedClocks)
        #expect(
            try options(["--profile", "b", "--accept-unsynced-clocks"]).options
                .acceptsUnsyncedClocks)
    }

    @Test("the only profile needs no choice; several need one, or the name default")
    func usual() throws {
        try write("{\"broker\": \"mqtt://a\"} // with a comment", to: "a")
        #expect("\(try options().options.broker)" == "mqtt://a:1883")
        try write("{\"broker\": \"mqtt://b\"}", to: "b")
        #expect(failure().hasPrefix("choose a profile with --profile or SIGHTLINE_PROFILE: a, b"))
    }

    @Test("a profile has root, site and credentials; options replace them one by one")
    func values() throws {
        try write(
            """
            {"broker": "mqtts://a", "root": "r/v1", "site": "s",
             "tls": {"caFile": "ca.crt", "certFile": "a.crt", "keyFile": "/keys/a.key"},
             "watch": {"certFile": "w.crt", "keyFile": "w.key"}}
            """, to: "a")
        let (options, invocation) = try options()
        #expect(options.root == "r/v1")
        #expect(try options.site(invocation) == "s")
        let other = try self.options(["--site", "t", "--root", "q"])
        #expect(other.options.root == "q")
        #expect(try other.options.site(other.invocation) == "t")
        let place = folder.file("sightline/a")
        try Tool.run("touch", ["\(place)/ca.crt"])
        for (name, certificate) in [("watch", "w.crt"), ("tune", "a.crt")] {
            let command = Command(
                name: "sightline \(name)", summary: "",
                options: BrokerOptions.place + BrokerOptions.credentials)
            let found = try self.options(command: command).options
            do throws(BrokerOptions.Unusable) {
                _ = try found.settings(maximumPayload: 1)
                Issue.record("\(certificate) does not exist")
            } catch {
                #expect(
                    error.message.hasPrefix(
                        "the certificate can't be read: \(place)/\(certificate): "))
            }
        }
    }

    @Test(
        "a faulty profile or choice is one sentence",
        arguments: [
            ("{\"broker\": \"mqtt://a\", \"sight\": 1}", [], "a/profile.json: /sight: "),
            ("{}", [], "/broker"),
            ("{\"broker\": \"a\"}", [], "broker must be mqtt://HOST"),
            ("{\"broker\": \"mqtt://a\", \"tls\": {}}", [], "tls is for TLS"),
            ("{\"broker\": \"mqtt://a\", \"passwordFile\": \"p\"}", [], "username is required"),
            ("{\"broker\": \"mqtt://a\"", [], "a/profile.json: "),
            ("{\"broker\": \"mqtt://a\"}", ["--profile", "aa"], "did you mean a?"),
            ("{\"broker\": \"mqtt://a\"}", ["--profile", "../a"], "no profile “../a”"),
            (
                "{\"broker\": \"mqtt://a\"}", ["--profile", "a", "--broker", "mqtt://b"],
                "leave out --broker"
            ),
        ] as [(String, [String], String)])
    func faults(text: String, arguments: [String], words: String) throws {
        try write(text, to: "a")
        let said = failure(arguments)
        #expect(said.contains(words) && !said.contains("\n"), "\(said)")
    }

    @Test("a broker of an option or the environment gets no credentials of a profile")
    func foreignBroker() throws {
        try write(
            "{\"broker\": \"mqtts://a\", \"username\": \"alice\", \"tls\": {\"caFile\": \"/none\"}}",
            to: "default")
        for (arguments, variables) in [
            (["--broker", "mqtts://b"], [:]), ([], ["SIGHTLINE_BROKER": "mqtts://b"]),
        ] as [([String], [String: String])] {
            let settings = try options(arguments, variables).options.settings(maximumPayload: 1)
            #expect(settings.username == nil && settings.tls?.caFile == nil)
        }
    }
}

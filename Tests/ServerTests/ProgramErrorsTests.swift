import Posix
import TestSupport
import Testing

@Suite(
    "errors of the program",
    .enabled(
        if: BuiltProgram.find("sightline-server") != nil,
        "the program was not built beside the tests"))
struct ProgramErrorsTests {
    private func lines(_ arguments: [String]) throws -> [String] {
        let program = try #require(BuiltProgram.find("sightline-server"))
        let child = try ChildProcess(program, arguments, environment: [:])
        #expect(child.waitForExit() != 0)
        return child.lines
    }

    @Test("each begins with the name of the program, also those of subcommands")
    func names() throws {
        // CONNACK of version 3.1.1: not authorised.
        let broker = try FakeBroker { _ in .answerAndClose([0x20, 0x02, 0x00, 0x05]) }
        let folder = try TemporaryFolder()
        let file = folder.file("server.json")
        for arguments in [
            ["--wrong"], ["--config", file], ["init", "--wrong"], ["privacy", "--wrong"],
            ["privacy", "--config", file], ["doctor", "--wrong"],
            ["init", "--config", file, "--broker", "mqtt://127.0.0.1:\(broker.port)"],
        ] {
            let lines = try lines(arguments)
            #expect(
                !lines.isEmpty && lines.allSatisfy { $0.hasPrefix("sightline-server: ") },
                "\(arguments): \(lines)")
        }
    }

    @Test(
        "a faulty file of tokens keeps the server from starting, and is named with its fault",
        arguments: [
            ("", ": line 1, column 1: there is nothing here; a JSON value was expected"),
            ("{}", ": /tokens: tokens is required"),
            (
                #"{"tokens": [{"name": "wall", "scope": "all", "sha256": "\#(digest)"}]}"#,
                ": /tokens/0/scope: scope must be one of \"public\", \"read\", \"manage\", not “all”"
            ),
            (
                nil,
                ": can't be read: No such file or directory; http.tokens in 'man "
                    + "sightline-server.json' says what this file has"
            ),
        ])
    func tokens(text: String?, fault: String) throws {
        let folder = try TemporaryFolder()
        let tokens = folder.file("tokens.json")
        if let text { try folder.write(text, to: "tokens.json") }
        try folder.write(
            """
            {"mqtt": {"host": "b"}, "stateDirectory": "\(folder.file("state"))",
             "http": {"listen": "unix:\(folder.file("http"))", "tokens": "\(tokens)"},
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """, to: "server.json")
        for options in [[], ["--check"]] {
            let lines = try lines(["--config", folder.file("server.json")] + options)
            #expect(lines == ["sightline-server: \(tokens)\(fault)"], "\(options)")
        }
    }

    @Test("a missing file of the password keeps the server from starting, and --check finds it")
    func password() throws {
        let folder = try TemporaryFolder()
        let password = folder.file("password")
        try folder.write(
            """
            {"mqtt": {"host": "b", "username": "u", "passwordFile": "\(password)"},
             "stateDirectory": "\(folder.file("state"))",
             "http": {"listen": "unix:\(folder.file("http"))"},
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """, to: "server.json")
        let start = try lines(["--config", folder.file("server.json")])
        #expect(start.contains { $0.contains(password) })
        let check = try lines(["--config", folder.file("server.json"), "--check"])
        #expect(check == start)
        #expect(!File.exists(folder.file("state/server.sqlite-wal")))
    }

    private static let digest = String(repeating: "0", count: 64)
}

import Glibc
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
            ("", "TOKENS: line 1, column 1: there is nothing here; a JSON value was expected"),
            ("{}", "TOKENS: /tokens: tokens is required"),
            (
                #"{"tokens": [{"name": "wall", "scope": "all", "sha256": "\#(digest)"}]}"#,
                "TOKENS: /tokens/0/scope: scope must be one of \"public\", \"read\", \"manage\", not “all”"
            ),
            (
                nil,
                "FILE: /http/tokens: TOKENS can't be read: No such file or directory; http.tokens in 'man "
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
            let expected = fault.replacing("TOKENS", with: tokens)
                .replacing("FILE", with: folder.file("server.json"))
            #expect(lines == ["sightline-server: \(expected)"], "\(options)")
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

    @Test("--check names each unusable file of mqtt.tls with its key")
    func certificates() throws {
        let folder = try TemporaryFolder()
        func check(_ tls: String) throws -> [String] {
            let file = try folder.write(
                """
                {"mqtt": {"host": "b", "tls": \(tls)}, "stateDirectory": "\(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
                """, to: "server.json")
            return try lines(["--config", file, "--check"]).map {
                $0.replacing(folder.path + "/", with: "")
            }
        }
        let missing = "can't be read: No such file or directory"
        #expect(
            try check(
                #"{"caFile": "\#(folder.file("ca"))", "certFile": "\#(folder.file("cert"))", "#
                    + #""keyFile": "\#(folder.file("key"))"}"#)
                == [
                    "sightline-server: server.json: /mqtt/tls/caFile: ca \(missing)",
                    "sightline-server: server.json: /mqtt/tls/certFile: cert \(missing)",
                    "sightline-server: server.json: /mqtt/tls/keyFile: key \(missing)",
                ])
        try folder.write("nothing", to: "ca")
        let faults = try check(#"{"caFile": "\#(folder.file("ca"))"}"#)
        #expect(faults.count == 1)
        #expect(
            faults.first?.hasPrefix("sightline-server: server.json: /mqtt/tls: ") == true,
            "\(faults)")
    }

    @Test("--check names all faults at once, each with its file and key")
    func all() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            {"mqtt": {"host": "b", "username": "u", "passwordFile": "/nope/password"},
             "stateDirectory": "/proc/nope",
             "http": {"listen": "unix:/nope/http", "tokens": "/nope/tokens"},
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """, to: "server.json")
        let lines = try lines(["--config", file, "--check", "--page", "/nope"])
        let expected = [
            "\(file): /mqtt/passwordFile: /nope/password: ",
            "\(file): /http/tokens: /nope/tokens can't be read: ",
            "\(file): /stateDirectory: /proc/nope: ",
            "\(file): /http/listen: unix:/nope/http: the folder /nope does not exist: ",
            "--page /nope: no folder",
        ]
        #expect(lines.count == expected.count, "\(lines)")
        for (line, start) in zip(lines, expected) {
            #expect(line.hasPrefix("sightline-server: \(start)"))
        }
    }

    private func configuration(_ folder: TemporaryFolder, state: String) throws -> String {
        try folder.write(
            """
            {"mqtt": {"host": "127.0.0.1", "port": 1}, "stateDirectory": "\(state)",
             "http": {"listen": "unix:\(folder.file("http"))"},
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """, to: "server.json")
    }

    @Test("--check refuses a state directory, a page and a truth that can't be")
    func places() throws {
        let folder = try TemporaryFolder()
        for (state, options, fault) in [
            (
                "/proc/nope", [],
                "\(folder.file("server.json")): /stateDirectory: /proc/nope: the file system of /proc takes no files: correct"
            ),
            (folder.file("state"), ["--page", "/proc/nope"], "--page /proc/nope: no folder with"),
            (folder.file("state"), ["--truth", "/proc/nope"], "--truth /proc/nope: can't be read"),
        ] {
            let file = try configuration(folder, state: state)
            let lines = try lines(["--config", file, "--check"] + options)
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("sightline-server: \(fault)") == true, "\(lines)")
        }
        #expect(!File.exists(folder.file("state")))
    }

    @Test("a server without its page says so in the log")
    func page() throws {
        let folder = try TemporaryFolder()
        let file = try configuration(folder, state: folder.file("state"))
        let program = try #require(BuiltProgram.find("sightline-server"))
        let server = try ChildProcess(
            program, ["--config", file, "--page", "/proc/nope"], environment: [:])
        #expect(server.waitForLine { $0.contains("no page: --page must") } != nil)
        server.send(SIGTERM)
        #expect(server.waitForExit() == 0)
    }

    @Test(
        "a wrong argument is explained by the help of its subcommand",
        arguments: [
            (["--chekc"], "did you mean --check? See 'sightline-server --help'"),
            (["privacy", "--beakon"], "--beacon? See 'sightline-server privacy --help'"),
            (["init", "--broker", "x:/"], "; see 'sightline-server init --help'"),
            (
                ["privacy", "--beacon", "f7826da6-4fa2-4e98-8024-bc5b71e0893e/42/99999"],
                "or 40 hexadecimal digits, not “f7826da6-4fa2-4e98-8024-bc5b71e0893e/42/99999”; "
                    + "see 'sightline-server privacy --help'"
            ),
        ])
    func usage(arguments: [String], end: String) throws {
        let lines = try lines(arguments)
        #expect(lines.count == 1 && lines[0].hasSuffix(end), "\(lines)")
    }

    @Test(
        "a missing configuration is followed by the remedy", arguments: ["", "privacy", "doctor"])
    func missing(word: String) throws {
        let words = word.isEmpty ? ["--check"] : [word]
        let lines = try lines(words + ["--config", "/proc/nope"])
        #expect(
            lines.first?.hasSuffix(
                "/proc/nope: can't be read: No such file or directory; 'sightline-server init' writes "
                    + "one, --config names another") == true, "\(lines)")
    }

    private static let digest = String(repeating: "0", count: 64)
}

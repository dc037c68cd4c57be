import Foundation
import Posix
import Subcommands
import TestSupport
import Testing

/// The program's own commands: completion, help and version.
@Suite(
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct SightlineProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String]) throws -> (lines: [String], status: Int32?) {
        let child = try ChildProcess(
            try #require(BuiltProgram.find("sightline")), arguments,
            environment: [
                "XDG_CACHE_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "LANG": "C.UTF-8",
            ])
        let status = child.waitForExit()
        return (child.lines, status)
    }

    @Test("help COMMAND is the text of COMMAND --help")
    func help() throws {
        for word in ["status", "tune", "decode"] {
            let help = try run(["help", word])
            #expect(help.status == 0)
            #expect(help.lines == (try run([word, "--help"]).lines))
        }
        #expect(try run(["help"]).lines == (try run(["--help"]).lines))
        let wrong = try run(["help", "statis"])
        #expect(wrong.status == 2 && wrong.lines.first?.contains("did you mean status?") == true)
        let nonsense = try run(["help", "nonsense"])
        #expect(nonsense.status == 2)
        #expect(nonsense.lines.first?.hasSuffix("help; see 'sightline --help'") == true)
    }

    @Test(
        "a fault of a profile names the file and the manual page, not the help of the command",
        arguments: [
            (
                #"{"broker":"mqtts://b","tsl":{}}"#,
                "did you mean “tls”? See sightline-profile.json(5)"
            ),
            (#"{"broker":"http://b"}"#, "not “http://b”; see sightline-profile.json(5)"),
            (
                #"{"broker":"mqtts://b","tls":{"caFile":"none.crt"}}"#,
                "/sightline/alice/none.crt: No such file or directory"
            ),
        ])
    func profiles(text: String, ending: String) throws {
        try Tool.run("mkdir", [folder.file("sightline"), folder.file("sightline/alice")])
        try folder.write(text, to: "sightline/alice/profile.json")
        let result = try run(["status"])
        #expect(result.status == 2)
        #expect(result.lines.count == 1)
        #expect(result.lines.first?.hasSuffix(ending) == true, "\(result.lines)")
        let other = try run(["tune", "--profile", "bob", "a=1"])
        #expect(other.lines == ["sightline: no profile “bob”; expected alice"])
    }

    @Test("--version names the commit and the libraries")
    func version() throws {
        let lines = try run(["--version"]).lines
        #expect(lines.count == 2)
        #expect(lines[0].wholeMatch(of: /sightline [0-9.]+ \(commit [0-9a-z-]+\)/) != nil)
        #expect(lines[1].wholeMatch(of: /libmosquitto [0-9.]+, OpenSSL 3\..*/) != nil)
    }

    @Test("completion knows every command, and the names that the last command has seen")
    func names() throws {
        try Tool.run("mkdir", [folder.file("sightline"), folder.file("sightline/alice")])
        try folder.write("{}", to: "sightline/alice/profile.json")
        try folder.write("north/till\nnorth/entry\nsouth/till\n", to: "sightline/gateways")
        #expect(try run(["completion", "sites"]).lines == ["north", "south"])
        #expect(try run(["completion", "ids"]).lines == ["entry", "till"])
        #expect(try run(["completion", "profiles"]).lines == ["alice"])
        #expect(
            try run(["completion", "gateways"]).lines == [
                "north/entry", "north/till", "south/till",
            ]
        )
        #expect(try run(["completion", "tcsh"]).status == 2)
        for shell in ["bash", "zsh", "fish"] {
            let script = try run(["completion", shell]).lines.joined(separator: "\n")
            for command in Sightline.command.subcommands {
                #expect(script.contains(command.word), "\(shell) \(command.word)")
            }
        }
    }

    @Test(
        "fish completes commands, sites, states and files",
        .enabled(if: Tool.find("fish") != nil, "fish is not installed: apt-get install fish"),
        arguments: [
            ("sta", "status"), ("status --site n", "north"), ("status --state de", "deaf,degraded"),
            ("tune --plan st", "stores.csv"), ("status south/", "south/till"),
            ("help dec", "decode"),
        ])
    func fish(line: String, words: String) throws {
        try Tool.run("mkdir", [folder.file("sightline")])
        try folder.write("north/till\nsouth/till\n", to: "sightline/gateways")
        try folder.write("", to: "stores.csv")
        let program = try #require(BuiltProgram.find("sightline"))
        let script = """
            cd '\(folder.path)'; set -gx PATH '\(File.folder(of: program))' $PATH
            sightline completion fish | source
            complete -C 'sightline \(line)'
            """
        let child = try ChildProcess(
            "fish", ["--no-config", "-c", script],
            environment: [
                "XDG_CACHE_HOME": folder.path, "HOME": folder.path, "PATH": "/usr/bin:/bin",
            ])
        #expect(child.waitForExit() == 0)
        let found = child.lines.map { String($0.prefix { $0 != "\t" }) }
        #expect(found.sorted().joined(separator: ",") == words)
    }

    @Test("bash completes a site from the cache")
    func bash() throws {
        try Tool.run("mkdir", [folder.file("sightline")])
        try folder.write("north/till\nsouth/till\n", to: "sightline/gateways")
        let program = try #require(BuiltProgram.find("sightline"))
        for (words, answer) in [
            ("status --site n", "<north>"), ("status s", "<south/till>"),
            ("tune --site north --gateway t", "<till>"),
        ] {
            let count = words.split(separator: " ").count
            let script = """
                compopt() { :; }
                \(Sightline.command.bashCompletion)
                COMP_WORDS=('\(program)' \(words)) COMP_CWORD=\(count)
                _sightline
                printf '<%s>' "${COMPREPLY[@]}"
                """
            let child = try ChildProcess(
                "bash", ["-c", script],
                environment: ["XDG_CACHE_HOME": folder.path, "PATH": "/usr/bin:/bin"])
            #expect(child.waitForExit() == 0)
            #expect(child.lines.joined() == answer)
        }
    }
}

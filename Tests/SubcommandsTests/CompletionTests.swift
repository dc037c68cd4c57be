import CommandLine
import Contract
import Foundation
import Subcommands
import TestSupport
import Testing

/// What bash makes of the script, at the end of a command line.
@Suite struct CompletionTests {
    private static let cases: [(line: [String], expected: [String])] = [
        (
            ["sightline", ""],
            [
                "status", "watch", "tune", "decode", "doctor", "queue", "regions",
                "ranging", "survey", "beacons", "plan", "completion", "help",
            ]
        ),
        (["sightline", "t"], ["tune"]),
        (["sightline", "--v"], ["--version"]),
        (["sightline", "watch", "--site", "till"], []),
        (["sightline", "watch", "--ca"], ["--ca-file"]),
        (
            ["sightline", "tune", "--dry-run", "--re"],
            ["--replace", "--reset-versions", "--remove"]
        ),
        (["sightline", "tune", "report.window"], ["report.windowMs="]),
        (["sightline", "tune", "--plan", "st"], ["stores of the north.csv"]),
        (["sightline", "tune", "--plan", "=", "st"], ["stores of the north.csv"]),
        (["sightline", "decode", "stores"], ["stores of the north.csv"]),
    ]

    @Test("bash completes commands, options, keys and files", arguments: cases.indices)
    func bash(index: Int) throws {
        let (line, expected) = Self.cases[index]
        let folder = try TemporaryFolder()
        let place = URL(fileURLWithPath: folder.path)
        try Data().write(to: place.appending(path: "stores of the north.csv"))
        let words = line.map { "'\($0)'" }.joined(separator: " ")
        // Outside of a shell that completes, there is no shell to complete file names.
        let script = """
            compopt() { :; }
            \(Sightline.command.bashCompletion)
            cd '\(folder.path)'
            COMP_WORDS=(\(words)) COMP_CWORD=\(line.count - 1)
            _sightline
            printf '<%s>' "${COMPREPLY[@]}"
            """
        let child = try ChildProcess("bash", ["-c", script])
        #expect(child.waitForExit() == 0)
        let answer = child.lines.joined(separator: "\n")
        #expect(answer == (expected.isEmpty ? "<>" : expected.map { "<\($0)>" }.joined()))
    }

    @Test("every key that is suggested is one that a layer's document takes")
    func keys() throws {
        let tune = try #require(Sightline.command.subcommands.first { $0.word == "tune" })
        guard case .words(let words) = tune.operands.last?.completion else {
            throw TestFailure("no keys are suggested")
        }
        for word in words {
            let path = word.dropLast().split(separator: ".").map(String.init)
            let document = #"{"version":1,"\#(path[0])":{"\#(path[1])":null}}"#
            #expect(throws: Never.self) {
                _ = try LayerDocument(parsing: Array(document.utf8))
            }
        }
    }
}

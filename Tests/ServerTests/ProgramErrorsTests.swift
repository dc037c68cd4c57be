import TestSupport
import Testing

@Suite(
    "the name of the program",
    .enabled(
        if: BuiltProgram.find("sightline-server") != nil,
        "the program was not built beside the tests"))
struct ProgramNameTests {
    private func lines(_ arguments: [String]) throws -> [String] {
        let program = try #require(BuiltProgram.find("sightline-server"))
        let child = try ChildProcess(program, arguments, environment: [:])
        #expect(child.waitForExit() != 0)
        return child.lines
    }

    @Test("each error begins with it, also those of subcommands")
    func errors() throws {
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
}

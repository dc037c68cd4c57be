import Beacons
import Foundation
import HCI
import Posix
import TestSupport
import Testing

@testable import VirtualRadio

private let two = "--gateway entry-1 --gateway till-1"
private let served = two + " --listen unix:a --listen unix:b"

/// The program virtual-radio, as tests of the agent use it.
@Suite struct CommandLineTests {
    private let folder: TemporaryFolder
    private let scenario: String

    init() throws {
        folder = try TemporaryFolder()
        let text = """
            {"uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0",
             "gateways": [{"id": "entry-1", "x": 0, "y": 0}, {"id": "till-1", "x": 3, "y": 4}]}
            """
        scenario = try folder.write(text, to: "scenario.json")
    }

    private func start(_ arguments: String) throws -> ChildProcess {
        let program = try #require(
            BuiltProgram.find("virtual-radio"), "virtual-radio was not built beside the tests")
        let words = arguments.split(separator: " ").map {
            String($0).replacing("unix:", with: "unix:" + folder.path + "/")
        }
        return try ChildProcess(program, ["--scenario", scenario] + words)
    }

    /// Not in the macro's argument: older compilers can't type-check long sums of strings there.
    private static let wrongUses: [(String, String)] = [
        (
            "--listen unix:a",
            "--gateway ID is required, or --captures FOLDER, or --truth FILE"
        ),
        ("--gateway till-1 --listen unix:a --hours 2", "--hours needs --captures FOLDER"),
        ("--captures x --hours 0", "--hours must be more than 0 and at most 10000, not “0”"),
        (
            "--captures x --start 2100-01-01",
            "--start must be milliseconds since the Unix epoch, such as 1780300800000, not"
                + " “2100-01-01”"
        ),
        ("--captures x --listen unix:a", "--listen is for live radios, not for --captures"),
        ("--captures x --seed -1", "--seed must be a whole number, not “-1”"),
        ("--gateway entry-1", "either --listen ADDRESS or --vhci PATH is required"),
        (
            "--gateway entry-1 --listen unix:a --vhci /dev/vhci",
            "either --listen ADDRESS or --vhci PATH is required"
        ),
        ("--gateway till-1 --gateway till-1", "--gateway till-1 is given twice"),
        (
            two + " --listen unix:a",
            "--listen is given once for 2 gateways; expected it once for each"
        ),
        (
            "--gateway till-1 --listen unix:a --listen unix:b",
            "--listen is given 2 times for 1 gateway; expected it once for each"
        ),
        (
            served + " --address 02:00:00:00:00:01",
            "--address is given once for 2 gateways; expected it once for each"
        ),
        (
            served + " --family legacy --family legacy --family extended",
            "--family is given 3 times for 2 gateways; expected it once for all or once for each"
        ),
        (
            served + " --family newest",
            "--family must be legacy, extended, legacy-4.2 or legacy-4.0, not “newest”"
        ),
        (
            served + " --fault exit=1:silent",
            "--fault exit=1:silent is for a --gateway that is not given"
        ),
        (
            served + " --fault till-1=silent",
            "--fault must be [ID=]AT:KIND[:ARGUMENT], such as 10:stall:5, not “till-1=silent”"
        ),
    ]

    @Test(
        "conflicting options are refused with one sentence",
        arguments: wrongUses)
    func refusal(arguments: String, sentence: String) throws {
        let process = try start(arguments)
        #expect(process.waitForExit() == 2)
        #expect(process.lines == ["virtual-radio: \(sentence)"])
    }

    @Test("one process serves two gateways that hear each other, and ends on SIGTERM")
    func twoGateways()
        throws
    {
        let tally = folder.file("tally.json")
        let process = try start(
            served + " --family legacy --family extended --tally \(tally)"
                + " --fault till-1=0:refuse:0x2036:0x0d:1")
        #expect(process.waitForLines { $0.count == 2 })
        #expect(
            process.lines == ["a", "b"].map { "listening on unix:\(folder.file($0))" })
        let entry = try Sockets.connect(to: .unix(path: folder.file("a")))
        let till = try Sockets.connect(to: .unix(path: folder.file("b")))
        try entry.writeAll(StationGroup.scan(.legacy).flatMap(\.packet))
        // A fault refuses it once, at this gateway only.
        try till.writeAll(StationGroup.advertise(minor: 1, .extended).flatMap(\.packet))
        try entry.writeAll(StationGroup.advertise(minor: 2, .legacy).flatMap(\.packet))
        #expect(process.waitForLine { $0.contains(#""minor":2,"#) } != nil)
        try till.writeAll(StationGroup.advertise(minor: 3, .extended).flatMap(\.packet))
        let line = try #require(process.waitForLine { $0.contains(#""minor":3,"#) })
        let object = try JSONReading.object(line)
        #expect(object["gateway"] as? String == "till-1")
        #expect(!process.lines.contains { $0.contains(#""minor":1,"#) })
        // Enough reports to include the other station's beacon.
        var bytes: [UInt8] = []
        while try reports(in: bytes).count < 3 {
            let happened = try Poll.wait(for: [Poll.Interest(entry.rawValue)], timeout: 20_000)
            try #require(happened[0] != [], "nothing came")
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(entry.rawValue, $0.baseAddress, $0.count)
            }
            try #require(count > 0)
            bytes += buffer.prefix(count)
        }
        process.send(SIGTERM)
        #expect(process.waitForExit() == 0)
        let text = try String(contentsOfFile: tally, encoding: .utf8)
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(list.map { $0["gateway"] as? String } == ["entry-1", "till-1"])
        let identities = try #require(list[0]["identities"] as? [[String: Any]])
        #expect(identities.compactMap { $0["minor"] as? Int } == [3])
        // The program removes its sockets.
        #expect(!FileManager.default.fileExists(atPath: folder.file("a")))
    }

    @Test("a lost host is printed as an empty air, except with --keep-power") func hostGone() throws
    {
        let processes = try ["", " --keep-power"].enumerated().map {
            try start("--gateway till-1 --listen unix:\($0)" + $1)
        }
        for (index, process) in processes.enumerated() {
            #expect(process.waitForLine { $0.hasPrefix("listening on") } != nil)
            let host = try Sockets.connect(to: .unix(path: folder.file("\(index)")))
            try host.writeAll(StationGroup.advertise(minor: 1, .legacy).flatMap(\.packet))
            #expect(process.waitForLine { $0.contains(#""minor":1,"#) } != nil)
            host.close()
        }
        let empty = #"{"gateway":"till-1","onAir":[]}"#
        #expect(processes[0].waitForLine { $0 == empty } != nil)
        // The next host ends the advertising that it finds.
        let host = try Sockets.connect(to: .unix(path: folder.file("1")))
        #expect(!processes[1].lines.contains(empty))
        try host.writeAll(HCICommand.advertisingEnable(false, .legacy).packet)
        #expect(processes[1].waitForLine { $0 == empty } != nil)
        for process in processes {
            process.send(SIGTERM)
            #expect(process.waitForExit() == 0)
        }
    }

    @Test("the options select the kind of controller") func kinds() throws {
        let process = try start(
            "--gateway till-1 --listen unix:a --family legacy-4.2 --no-scan-while-advertising"
                + " --address 02:00:00:00:00:05")
        #expect(process.waitForLine { $0.hasPrefix("listening on") } != nil)
        let host = try Sockets.connect(to: .unix(path: folder.file("a")))
        let commands: [(HCICommand, String)] = [
            (.readDeviceAddress, "04 0e 0a 01 09 10 00 05 00 00 00 00 02"),
            (.leReadSupportedStates, "04 0e 0c 01 1c 20 00 37 00 00 00 00 00 00 00"),
            (.advertisingParameters(interval: 0x9f, .legacy), "04 0e 04 01 06 20 12"),
            (.advertisingParameters(interval: 0xa0, .legacy), "04 0e 04 01 06 20 00"),
        ]
        for (command, answer) in commands {
            try host.writeAll(command.packet)
            var bytes: [UInt8] = []
            while bytes.count < hex(answer).count {
                let happened = try Poll.wait(for: [Poll.Interest(host.rawValue)], timeout: 20_000)
                try #require(happened[0] != [], "nothing came")
                var buffer = [UInt8](repeating: 0, count: 64)
                let count = buffer.withUnsafeMutableBytes {
                    Glibc.read(host.rawValue, $0.baseAddress, $0.count)
                }
                try #require(count > 0)
                bytes += buffer.prefix(count)
            }
            #expect(bytes == hex(answer))
        }
        process.send(SIGTERM)
        #expect(process.waitForExit() == 0)
    }

    @Test("captures of one seed are equal, and of another seed differ") func captures() throws {
        let queue = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("config/scenarios/queue.json").path
        let program = try #require(BuiltProgram.find("virtual-radio"))
        var files: [[Data]] = []
        for (name, seed) in [("a", 7), ("b", 7), ("c", 8)] {
            let out = folder.file(name)
            try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
            let process = try ChildProcess(
                program,
                [
                    "--scenario", queue, "--captures", out, "--hours", "0.01", "--seed", "\(seed)",
                    "--truth", out + "/truth.jsonl",
                ])
            #expect(process.waitForExit() == 0)
            #expect(process.lines.count == 2)
            files.append(
                try ["entry-1.btsnoop", "till-1.btsnoop", "truth.jsonl"].map {
                    try Data(contentsOf: URL(fileURLWithPath: out + "/" + $0))
                })
        }
        #expect(files[0] == files[1])
        #expect(zip(files[0], files[2]).allSatisfy { $0 != $1 })
        // 36 s of places, from 08:00:00 on.
        let truth = String(decoding: files[0][2], as: UTF8.self).split(separator: "\n")
        let places = try truth.map { try JSONReading.object(String($0)) }
            .filter { $0["event"] as? String == "places" }
        #expect(
            places.map { $0["time"] as? Int64 } == (0..<36).map { 1_780_300_800_000 + $0 * 1000 })
    }

    @Test("--truth without a gateway writes the present") func truthAlone() throws {
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        let process = try start("--truth -")
        let line = try #require(process.waitForLine { $0.contains("places") })
        let time = try #require(try JSONReading.object(line)["time"] as? Int64)
        #expect(time % 1000 == 0)
        #expect((before...Int64(Date().timeIntervalSince1970 * 1000)).contains(time))
        process.send(SIGTERM)
        #expect(process.waitForExit() == 0)
    }

    @Test("a truth that can't be written is refused") func truthRefused() throws {
        let process = try start("--truth \(folder.path)/none/truth")
        #expect(process.waitForExit() == 1)
        #expect(
            process.lines == [
                "virtual-radio: \(folder.path)/none/truth: No such file or directory"
            ])
    }

    @Test("--seconds ends each station, with and without a host") func seconds() throws {
        let process = try start(served + " --seconds 0.3 --tally \(folder.file("tally"))")
        #expect(process.waitForLines { $0.count == 2 })
        let host = try Sockets.connect(to: .unix(path: folder.file("b")))
        try host.writeAll(StationGroup.scan(.legacy).flatMap(\.packet))
        #expect(process.waitForExit() == 0)
        #expect(FileManager.default.fileExists(atPath: folder.file("tally")))
    }
}

import Foundation
import TestSupport
import Testing

/// A world with truth, through captures, the agent and the estimator: the way of `packaging/measure`.
@Suite struct WorldPipelineTests {
    private static let root = Checkout.root.path

    /// Runs a program of this build with its output in a file, and returns the lines.
    private func run(_ program: String, _ arguments: [String], to file: String) throws -> [String] {
        let path = try #require(BuiltProgram.find(program), "\(program) was not built")
        try Tool.run("sh", ["-c", "exec \"$0\" \"$@\" > \(file)", path] + arguments)
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            String($0)
        }
    }

    private func objects(_ lines: [String]) throws -> [[String: Any]] {
        try lines.map {
            let value = try JSONSerialization.jsonObject(with: Data($0.utf8))
            return try #require(value as? [String: Any])
        }
    }

    @Test("the agent counts each report of a world's captures, and the estimator reads them")
    func pipeline() throws {
        let folder = try TemporaryFolder()
        let gateways = ["entry-1", "till-1", "till-2"]
        let written = try run(
            "virtual-radio",
            [
                "--scenario", Self.root + "/config/scenarios/rush.json", "--captures", folder.path,
                "--hours", "0.1", "--seed", "7", "--truth", folder.file("truth"),
            ], to: folder.file("captures"))
        var inputs: [String] = []
        for (index, gateway) in gateways.enumerated() {
            let configuration = try folder.write(
                #"{"gateway": {"site": "store", "id": "\#(gateway)"}, "mqtt": {"host": "localhost"}}"#,
                to: gateway + ".json")
            let file = folder.file(gateway + ".jsonl")
            let messages = try objects(
                try run(
                    "sightlined",
                    [
                        "--config", configuration, "--radio",
                        "replay:\(folder.path)/\(gateway).btsnoop", "--output", "-",
                    ], to: file))
            let reports = messages.compactMap {
                ($0["radio"] as? [String: Any])?["reports"] as? Int
            }
            #expect(
                written[index].hasSuffix("/\(gateway).btsnoop: \(reports.reduce(0, +)) reports"),
                "\(written[index])")
            inputs += ["--input", file]
        }
        let queues = try folder.write(
            """
            {"sites": [{"site": "store", "queues": [
              {"queue": "checkout-1", "entry": ["entry-1"], "till": ["till-1"]},
              {"queue": "checkout-2", "entry": ["entry-1"], "till": ["till-2"]}]}]}
            """, to: "queues.json")
        let results = try objects(
            try run(
                "sightline", ["queue", "--config", queues] + inputs, to: folder.file("results"))
        )
        #expect(results.contains { $0["kind"] as? String == "minute" })
        // The truth ends with the captures.
        let truth = try String(contentsOfFile: folder.file("truth"), encoding: .utf8)
        #expect(truth.split(separator: "\n").count { $0.contains(#""event":"places""#) } == 360)
    }
}

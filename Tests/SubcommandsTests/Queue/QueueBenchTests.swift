import Foundation
import TestSupport
import Testing

/// The judge shares no code with the estimator: a simulator with truth, and a scorer (Tests/QueueBench).
@Suite(
    "the estimator against simulated queues with truth",
    .enabled(if: Tool.works("python3", ["-c", "import numpy"]), "python3-numpy is not installed"))
struct QueueBenchTests {
    private static let bench = Checkout.root.path + "/Tests/QueueBench"

    @Test("an hour of a usual world reaches its bounds")
    func hour() throws {
        let folder = try TemporaryFolder()
        try Tool.run(
            "\(Self.bench)/simulate",
            ["--world", "5/6/5/10", "--hours", "1", "--seed", "2001", "--folder", folder.path])
        let program = try #require(BuiltProgram.find("sightline"))
        try Tool.run(
            "sh",
            [
                "-c",
                "exec \"$0\" queue --identities --allowed-lateness 60 --config \"$1/queues.json\" "
                    + "--input \"$1/messages.jsonl\" > \"$1/results.jsonl\"", program, folder.path,
            ])
        try Tool.run(
            "\(Self.bench)/score",
            [
                "--bounds",
                "recall=0.80,precision=0.85,mae=6,median=1.6,within_one=0.9,residual=0,restated_exact=0.8",
                folder.path,
            ])
    }
}

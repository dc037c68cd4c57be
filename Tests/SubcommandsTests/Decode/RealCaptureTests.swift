import Foundation
import TestSupport
import Testing

@testable import Subcommands

/// Real captures of real phones, which are not ours to keep in the repository.
enum RealCaptures {
    /// The folder that they are in: SIGHTLINE_CAPTURES, or beside the checkout; `nil` where it is missing.
    static let folder: String? = {
        let path =
            ProcessInfo.processInfo.environment["SIGHTLINE_CAPTURES"]
            ?? Checkout.root.deletingLastPathComponent().path + "/shared/data"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }()
}

@Suite(
    "sightline decode on real captures",
    .enabled(if: RealCaptures.folder != nil, "there are no captures: set SIGHTLINE_CAPTURES"))
struct RealCaptureTests {
    /// The numbers that come with the captures, which btmon agrees with.
    @Test(
        "the counts of reports, iBeacons and identities are correct",
        arguments: [
            ("epfl-queue-01", 15_041, 350, 1), ("epfl-queue-08", 7_902, 275, 1),
            ("epfl-queue-15", 20_346, 1_901, 2),
        ])
    func counts(name: String, reports: Int, beacons: Int, identities: Int) throws {
        let path = try #require(RealCaptures.folder) + "/\(name).btsnoop"
        guard case .run(let invocation) = try DecodeCommand.command.parse(["--json", path]) else {
            return
        }
        var output = ""
        let status = try DecodeCommand(invocation).run(to: &output) { Issue.record("\($0)") }
        #expect(status == .done)
        let lines = output.split(separator: "\n")
        let total = try JSONSerialization.jsonObject(with: Data(try #require(lines.first).utf8))
        let counts = try #require(total as? [String: Any])
        #expect(counts["reports"] as? Int == reports)
        #expect(counts["beacons"] as? Int == beacons)
        #expect(lines.count - 1 == identities)
    }
}

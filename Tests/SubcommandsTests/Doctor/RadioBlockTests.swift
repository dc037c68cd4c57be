import Foundation
import TestSupport
import Testing

@testable import Subcommands

@Suite("radio blocks")
struct RadioBlockTests {
    private static func write(
        _ name: String, _ values: [String: String], in folder: TemporaryFolder
    ) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file(name), withIntermediateDirectories: true)
        for (key, value) in values { try folder.write(value + "\n", to: "\(name)/\(key)") }
    }

    @Test(
        "the switches of the adapter and of the machine count")
    func blocks() throws {
        let folder = try TemporaryFolder()
        let bluetooth = ["type": "bluetooth", "soft": "0", "hard": "0"]
        try Self.write(
            "rfkill0", bluetooth.merging(["name": "hci0", "soft": "1"]) { $1 }, in: folder)
        try Self.write(
            "rfkill1", bluetooth.merging(["name": "hci1", "hard": "1"]) { $1 }, in: folder)
        try Self.write(
            "rfkill2", ["name": "phy0", "type": "wlan", "soft": "1", "hard": "1"], in: folder)
        try Self.write("rfkill3", bluetooth.merging(["name": "laptop"]) { $1 }, in: folder)
        #expect(
            RadioBlock.all(of: "hci0", in: folder.path) == [
                RadioBlock(isSoft: true, isHard: false), RadioBlock(isSoft: false, isHard: false),
            ])
        #expect(RadioBlock.all(of: "hci0", in: folder.file("none")).isEmpty)
    }
}

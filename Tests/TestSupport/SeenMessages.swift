import Foundation

/// The messages that the witnesses of a test run received, kept for the check against the contract.
enum SeenMessages {
    /// The folder for the messages; `nil` when they are not kept.
    private static let folder = ProcessInfo.processInfo.environment["SIGHTLINE_SEEN"]

    /// Writes a witness's messages to its own file, one line each: TOPIC PAYLOAD.
    static func keep(_ messages: [Subscriber.Received], of witness: String) {
        guard let folder, !messages.isEmpty else { return }
        let lines = messages.map { "\($0.topic) \($0.payload)\n" }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try? lines.joined().write(
            toFile: "\(folder)/\(witness).log", atomically: true, encoding: .utf8)
    }
}

import Foundation

/// What the witnesses of a test run have seen, kept so that all of it can be held against the contract.
enum SeenMessages {
    /// The folder for the messages; `nil` when they are not kept.
    private static let folder = ProcessInfo.processInfo.environment["SIGHTLINE_SEEN"]

    /// Writes a witness's messages to a file of its own, a line for each: TOPIC PAYLOAD.
    static func keep(_ messages: [Subscriber.Received], of witness: String) {
        guard let folder, !messages.isEmpty else { return }
        let lines = messages.map { "\($0.topic) \($0.payload)\n" }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try? lines.joined().write(
            toFile: "\(folder)/\(witness).log", atomically: true, encoding: .utf8)
    }
}

import Foundation
import TestSupport

/// A message of the topic `config/reported`, read with Foundation.
struct SeenReport: CustomStringConvertible {
    struct Fault: Equatable, CustomStringConvertible {
        let layer: String
        let version: Int?
        let path: String
        let code: String
        let message: String

        var description: String { "\(layer) \(version ?? 0) \(path) \(code)" }
    }

    let topic: String
    let isRetained: Bool
    let text: String
    private let object: [String: Any]

    init?(_ message: Subscriber.Received) {
        guard let object = message.object(of: "config/reported") else { return nil }
        topic = message.topic
        isRetained = message.isRetained
        text = message.payload
        self.object = object
    }

    var session: String { object["session"] as? String ?? "" }
    var status: String { object["status"] as? String ?? "" }
    var isPersisted: Bool { object["persisted"] as? Bool ?? false }
    /// Fleet, site and gateway.
    var versions: [Int?] {
        let versions = object["versions"] as? [String: Any] ?? [:]
        return ["fleet", "site", "gateway"].map { versions[$0] as? Int }
    }
    /// Of the documents of fleet, site and gateway.
    var digests: [String?] {
        let digests = object["digests"] as? [String: Any] ?? [:]
        return ["fleet", "site", "gateway"].map { digests[$0] as? String }
    }
    /// Since when the documents of fleet, site and gateway are in force, in milliseconds.
    var since: [Double?] {
        let times = object["since"] as? [String: Any] ?? [:]
        return ["fleet", "site", "gateway"].map { times[$0] as? Double }
    }
    var effective: [String: Any] { object["effective"] as? [String: Any] ?? [:] }
    var radio: [String: Any] { object["radio"] as? [String: Any] ?? [:] }
    var isAdvertising: Bool { radio["advertising"] as? Bool ?? false }
    /// The identity in force; `nil` if it is incomplete.
    var identity: ShownIdentity? {
        (effective["advertise"] as? [String: Any]).flatMap { ShownIdentity($0) }
    }
    var faults: [Fault] {
        (object["errors"] as? [[String: Any]] ?? []).map {
            Fault(
                layer: $0["layer"] as? String ?? "", version: $0["version"] as? Int,
                path: $0["path"] as? String ?? "", code: $0["code"] as? String ?? "",
                message: $0["message"] as? String ?? "")
        }
    }
    var description: String { text }
}

extension Subscriber {
    /// All received reports.
    var reports: [SeenReport] { received.compactMap(SeenReport.init) }

    /// Waits for a report with number `start` or later.
    @discardableResult
    func waitForReport(
        within seconds: Double = Deadline.limit, from start: Int = 0,
        where matches: (SeenReport) -> Bool
    ) throws -> SeenReport {
        var found: SeenReport?
        _ = wait(within: seconds) {
            found = $0.compactMap(SeenReport.init).dropFirst(start).first(where: matches)
            return found != nil
        }
        guard let found else {
            throw TestFailure("no such report among \(reports.count): \(reports.suffix(4))")
        }
        return found
    }
}

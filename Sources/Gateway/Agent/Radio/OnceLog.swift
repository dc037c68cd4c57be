import Logging

/// Writes each message once, until it is reset.
struct OnceLog {
    private let log: Log
    /// The messages that are not logged again.
    private(set) var written: Set<String> = []

    init(_ log: Log) { self.log = log }

    mutating func info(_ message: String, _ fields: KeyValuePairs<String, Any> = [:]) {
        if written.insert(message).inserted { log.info(message, fields) }
    }

    mutating func warning(_ message: String, _ fields: KeyValuePairs<String, Any> = [:]) {
        if written.insert(message).inserted { log.warning(message, fields) }
    }

    mutating func reset() { written = [] }
}

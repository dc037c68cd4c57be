import Posix
import Primitives

/// Whether the results are stored.
package enum StoreState: Equatable, Sendable {
    /// Everything that was committed is on the disk.
    case durable
    /// The server goes on from memory. The store tries again at `nextAttempt`.
    case unavailable(reason: String, nextAttempt: Instant?)
    /// The file is of a newer version: the server must not start.
    case refused(reason: String)

    package var isDurable: Bool { self == .durable }

    /// One sentence; `nil` if all is stored.
    package var reason: String? {
        switch self {
        case .durable: nil
        case .unavailable(let reason, _), .refused(let reason): reason
        }
    }
}

/// Why the store can't do something.
package struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        /// The bytes of the file are not those that were written.
        case corrupt
        /// A fault that can pass, such as a full disk.
        case unavailable
        /// A newer version of the program has written the file.
        case newer
    }

    package let cause: Cause
    package let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }

    package func with(_ cause: Cause) -> StoreFailure { StoreFailure(cause, description) }
}

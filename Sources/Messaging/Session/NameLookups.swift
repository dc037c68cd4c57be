import MQTT
import Posix
import Primitives

/// The lookups of brokers' names. Each runs on its own thread.
///
/// A lookup that exceeds its limit counts as a failure, but it continues: the next attempt at the same broker waits for the
/// same answer.
struct NameLookups {
    enum Outcome: Equatable {
        case pending
        case found
        case notFound
        /// The system can't start a thread.
        case failed(Errno)
    }

    private let resolver: Lookup.Resolver
    private let limit: Duration
    /// By broker.
    private var running: [Int: Lookup] = [:]
    /// When the lookup in progress counts as failed.
    private(set) var deadline: Instant?

    init(resolver: @escaping Lookup.Resolver, limit: Duration) {
        self.resolver = resolver
        self.limit = limit
    }

    /// Readable when the answer for a broker arrives; `nil` without a lookup.
    func descriptor(of broker: Int) -> CInt? { running[broker]?.descriptor }

    /// Starts a lookup if none runs for this broker, and returns its outcome once.
    mutating func resolve(_ settings: ConnectionSettings, of broker: Int, at now: Instant)
        -> Outcome
    {
        do throws(Errno) {
            let lookup: Lookup
            if let known = running[broker] {
                lookup = known
            } else {
                lookup = try Lookup(settings.host, port: settings.port, resolver: resolver)
                running[broker] = lookup
            }
            let end = deadline ?? now + limit
            deadline = end
            guard let isFound = lookup.takeAnswer() else {
                guard end <= now else { return .pending }
                deadline = nil
                return .notFound
            }
            running[broker] = nil
            deadline = nil
            return isFound ? .found : .notFound
        } catch {
            deadline = nil
            return .failed(error)
        }
    }

    /// The brokers change: no lookup is of use any more.
    mutating func removeAll() {
        running = [:]
        deadline = nil
    }
}

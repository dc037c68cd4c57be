import Contract
import JSON
import MQTT
import Primitives

/// Finds other agents with this gateway's name at any of the brokers, and counts the connections that they take over.
struct DuplicateClientMonitor {
    /// What to log.
    enum Notice: Equatable {
        /// Another agent uses this gateway's name; its session, if known.
        case duplicate(session: String?)
        /// The session of an agent that was logged before without one.
        case sessionKnown(String)
    }

    /// For a broker without any history.
    private let newDetector: DuplicateClientDetector
    private var detectors: [DuplicateClientDetector]
    /// The sessions in the log; `nil` for an agent whose session was not known.
    private var logged: Set<String?> = []
    var takeovers: UInt64 = 0
    /// The last connection was lost without a reason: another agent may have taken it over.
    private var isLossUnexplained = false

    /// The largest number of sessions in the log.
    private static let maxLogged = 16

    init(_ detector: DuplicateClientDetector, brokers: Int) {
        newDetector = detector
        detectors = [DuplicateClientDetector](repeating: detector, count: brokers)
    }

    mutating func connected(to broker: Int, at now: Instant, time: UnixTime?) {
        detectors[broker].connected(at: now, time: time)
    }

    /// The broker acknowledges a status with this time.
    mutating func statusAcknowledged(by broker: Int, at time: UnixTime?) {
        detectors[broker].acknowledged(at: time)
    }

    /// A message arrives on our status topic.
    mutating func received(_ message: Message, from broker: Int) -> Notice? {
        // Any client may write to the topic: the payload can be anything.
        guard let status = try? StatusMessage(decoding: message.payload),
            detectors[broker].on(status, isRetained: message.isRetained)
        else { return nil }
        if isLossUnexplained { takeovers += 1 }
        isLossUnexplained = false
        return notice(status.session)
    }

    /// A connection to the broker ends, or an attempt fails.
    ///
    /// - Parameters:
    ///   - clientID: our identifier at that broker.
    ///   - time: `nil` if the clock is not synchronised.
    /// - Returns: the cause, with a takeover in place of an unexplained loss.
    mutating func connectionEnded(
        _ cause: ConnectionFailure.Cause, clientID: String, broker: Int, at now: Instant,
        time: UnixTime? = nil
    ) -> (cause: ConnectionFailure.Cause, notice: Notice?) {
        let wasTakenOver = detectors[broker].connectionLost(at: now, time: time)
        switch cause {
        case .lost where wasTakenOver:
            takeovers += 1
            isLossUnexplained = false
            return (.takenOver(clientID: clientID), nil)
        case .lost: isLossUnexplained = true
        case .takenOver:
            takeovers += 1
            isLossUnexplained = false
            if logged.isEmpty { return (cause, notice(nil)) }
        default: break
        }
        return (cause, nil)
    }

    /// The brokers change.
    ///
    /// - Parameter previous: for each new broker, its index among the brokers before; `nil` if it was not one of them.
    mutating func brokersChanged(previous: [Int?]) {
        detectors = previous.map { $0.map { detectors[$0] } ?? newDetector }
        isLossUnexplained = false
    }

    private mutating func notice(_ session: String?) -> Notice? {
        let isSessionMissing = logged == [nil]
        guard logged.count < Self.maxLogged, logged.insert(session).inserted else { return nil }
        if isSessionMissing, let session { return .sessionKnown(session) }
        return .duplicate(session: session)
    }
}

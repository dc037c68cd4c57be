import Posix
import Primitives

/// The process that holds the connection of an `IsolatedConnection`.
package enum ConnectionProcess {
    /// The one argument of the process. It is internal, so no help names it.
    package static let argument = "--broker-connection"
    /// Its name in a list of processes.
    static let name = "sightline-connection"

    /// Runs until the connection ends, or the parent wants no more of it.
    ///
    /// - Returns: `false` if it can't work.
    package static func run() -> Bool {
        Subprocess.followParent()
        let stream = FrameStream(Descriptor(owning: Subprocess.descriptor))
        do throws(Errno) {
            guard let first = try first(of: stream),
                case .start(let settings, let version, let will)? = try? ConnectionRequest(
                    decoding: first.request)
            else { return false }
            let connection: Connection
            do throws(ConnectionFailure) {
                connection = try connect(settings, version, will)
            } catch {
                stream.send(ConnectionReport(events: [.ended(error)]).encoded)
                try stream.flushAll()
                return true
            }
            var server = ConnectionServer(stream, connection)
            try server.run(first.others)
            return true
        } catch {
            return false
        }
    }

    private static func connect(
        _ settings: ConnectionSettings, _ version: ProtocolVersion, _ will: Will?
    ) throws(ConnectionFailure) -> Connection {
        // The key may be another user's, and is loaded for each kind of address of the broker.
        let settings = try settings.withFilesInMemory()
        do throws(Errno) { try Subprocess.confine() } catch {
            throw ConnectionFailure(
                address: settings.address, cause: .process("it can't give up its rights: \(error)"))
        }
        return try Connection(to: settings, version: version, will: will)
    }

    private static func first(
        of stream: FrameStream
    ) throws(Errno) -> (request: [UInt8], others: [[UInt8]])? {
        while !stream.isAtEnd {
            _ = try Poll.wait(for: [stream.interest])
            let frames = stream.receive()
            if let request = frames.first { return (request, Array(frames.dropFirst())) }
        }
        return nil
    }
}

/// Carries out the parent's requests, and reports what the connection does.
private struct ConnectionServer {
    private let stream: FrameStream
    private let connection: Connection
    private var published: UInt64 = 0
    private var reported = ConnectionReport.State()
    private var lastReport = Instant.now

    /// Unsent bytes from which on the connection rests: the parent is busy.
    private static let mostUnsent = 1 << 20
    /// The time between reports without news, as a sign of life.
    private static let reportInterval = Duration.seconds(10)

    init(_ stream: FrameStream, _ connection: Connection) {
        self.stream = stream
        self.connection = connection
    }

    mutating func run(_ first: [[UInt8]]) throws(Errno) {
        var requests = first
        while !stream.isAtEnd {
            var events: [ConnectionEvent] = []
            for frame in requests {
                guard let request = try? ConnectionRequest(decoding: frame) else { return }
                if let event = carryOut(request) { events.append(event) }
            }
            let isResting = stream.unsent > Self.mostUnsent
            let socket = isResting ? nil : connection.interest
            let isDue = !isResting && (socket == nil || !events.isEmpty)
            let latest = Instant.now + .milliseconds(Connection.serviceInterval)
            let ready = try Poll.wait(
                for: [stream.interest, socket].compactMap(\.self), until: isDue ? .now : latest)
            let due = ready[socket?.descriptor]
            // Without the parent's acknowledgements, nothing is sent. This is no silence of the broker.
            if !isResting, connection.unstored == 0 || socket == nil || !due.isEmpty {
                events += connection.service(due)
            }
            post(events)
            if case .ended? = events.last { return try stream.flushAll() }
            requests = stream.receive()
        }
    }

    /// - Returns: the refusal of a publication.
    private mutating func carryOut(_ request: ConnectionRequest) -> ConnectionEvent? {
        switch request {
        case .start: break
        case .publish(let message, let token):
            published += 1
            do throws(PublishFailure) {
                try connection.publish(message, token: token)
            } catch {
                if case .refused(let reason) = error {
                    return .acknowledged(token: token, reason)
                }
            }
        // If these fail, the connection reports why it ended.
        case .subscribe(let filters, let quality):
            try? connection.subscribe(to: filters, quality: quality)
        case .unsubscribe(let filters): try? connection.unsubscribe(from: filters)
        case .acknowledge(let number): connection.acknowledge(first: number)
        case .disconnect: connection.disconnect()
        }
        return nil
    }

    private mutating func post(_ events: [ConnectionEvent]) {
        let state = ConnectionReport.State(connection, published: published)
        let isNew = state != reported || !events.isEmpty
        if isNew || .now - lastReport >= Self.reportInterval {
            let report = ConnectionReport(
                state: state, events: events, unanswered: connection.unanswered)
            for part in report.parts { stream.send(part.encoded) }
            reported = state
            lastReport = .now
        }
        stream.flush()
    }
}

extension ConnectionReport.State {
    fileprivate init(_ connection: Connection, published: UInt64) {
        self.published = published
        unacknowledged = connection.unacknowledged
        isWriting = connection.isWriting
        awaitsAcknowledgement = connection.awaitsAcknowledgement
    }
}

import Posix
import Primitives

/// A connection that a process of its own holds, so that no packet of a broker ends this program.
///
/// The process is this program's file again, without capabilities, input and output. Its end is the end of the connection.
package final class IsolatedConnection: BrokerConnection {
    private let process: Subprocess
    private let stream: FrameStream
    private let address: String
    private let isHolding: Bool
    /// What the process has reported last.
    private var state = ConnectionReport.State()
    /// Publications that were sent to the process.
    private var published: UInt64 = 0
    /// All messages so far.
    private var received: UInt64 = 0
    /// When the latest report came.
    private var heard: Instant
    private var isOver = false
    private var isDisconnecting = false
    private var isAccepted = false
    package private(set) var unanswered: [UnansweredPacket] = []
    package private(set) var unstored = 0

    /// A process that reports nothing for this time hangs.
    private static let patience = Duration.seconds(60)
    /// The time for DISCONNECT and everything before it.
    private static let farewell = Duration.seconds(2)

    /// Starts the process.
    package init(
        to settings: ConnectionSettings, version: ProtocolVersion, will: Will?
    ) throws(ConnectionFailure) {
        address = settings.address
        isHolding = settings.reading != nil
        heard = .now
        do throws(Errno) {
            let (ours, theirs) = try Sockets.pair()
            let socket = Descriptor(owning: ours)
            let other = Descriptor(owning: theirs)
            process = try Subprocess(
                ConnectionProcess.name, [ConnectionProcess.argument], passing: other, output: .none)
            stream = FrameStream(socket)
        } catch {
            throw ConnectionFailure(
                address: settings.address, cause: .process("it can't start: \(error)"))
        }
        send(.start(settings, version, will))
    }

    deinit { if !isOver { _ = process.killAndWait() } }

    package var interest: Poll.Interest? { isOver || stream.isAtEnd ? nil : stream.interest }
    package var isConnected: Bool { isAccepted && !isOver }
    package var awaitsAcknowledgement: Bool { unstored > 0 && state.awaitsAcknowledgement }

    /// Publications that the process has not reported on yet.
    private var unreported: UInt64 {
        published > state.published ? published - state.published : 0
    }

    package var isWriting: Bool { isConnected && (state.isWriting || unreported > 0) }

    package var unacknowledged: Int {
        isOver ? 0 : state.unacknowledged + Int(clamping: unreported)
    }

    package func service(_ ready: Poll.Events) -> [ConnectionEvent] {
        var events: [ConnectionEvent] = []
        guard !isOver else { return events }
        stream.flush()
        do throws(DecodeError) {
            for frame in stream.receive() where !isOver {
                for event in try take(frame) { events.append(event) }
            }
        } catch {
            events.append(end(.process("malformed report")))
        }
        if isOver { return events }
        let now = Instant.now
        if stream.isAtEnd {
            events.append(end(nil))
        } else if now - heard > Self.patience {
            events.append(end(.process("no report for \(Self.patience.wholeSeconds) s")))
        }
        return events
    }

    private func take(_ frame: [UInt8]) throws(DecodeError) -> [ConnectionEvent] {
        let report = try ConnectionReport(decoding: frame, from: address)
        state = report.state
        heard = .now
        for event in report.events {
            switch event {
            case .connected: isAccepted = true
            case .message, .oversized:
                received += 1
                if isHolding { unstored += 1 }
            case .ended:
                unanswered = report.unanswered
                isOver = true
                _ = process.killAndWait()
            case .acknowledged, .subscribed: break
            }
        }
        return report.events
    }

    /// The connection is over, without a report of its end.
    ///
    /// - Parameter cause: `nil` to find it in the end of the process.
    private func end(_ cause: ConnectionFailure.Cause?) -> ConnectionEvent {
        isOver = true
        let end = process.killAndWait()
        let usual: ConnectionFailure.Cause =
            end?.isCrash == true
            ? .invalidPacket : .process(end.map { "\($0)" } ?? "the cause is unknown")
        return .ended(ConnectionFailure(address: address, cause: cause ?? usual))
    }

    package func publish(_ message: Publication, token: UInt64?) throws(PublishFailure) {
        guard isConnected, !isDisconnecting else { throw .notConnected }
        guard !message.topic.utf8.contains(0) else { throw .refused(.topicNameInvalid) }
        published += 1
        send(.publish(message, token: token))
    }

    package func subscribe(
        to filters: [String], quality: QualityOfService
    ) throws(PublishFailure) {
        guard isConnected, !isDisconnecting else { throw .notConnected }
        guard !filters.contains(where: { $0.utf8.contains(0) }) else {
            throw .refused(.topicFilterInvalid)
        }
        send(.subscribe(filters, quality))
    }

    package func unsubscribe(from filters: [String]) throws(PublishFailure) {
        guard isConnected, !isDisconnecting else { throw .notConnected }
        send(.unsubscribe(filters))
    }

    package func acknowledge() {
        guard unstored > 0 else { return }
        unstored = 0
        send(.acknowledge(received))
    }

    package func disconnect() {
        guard !isOver, !isDisconnecting else { return }
        isDisconnecting = true
        send(.disconnect)
    }

    package func leave() {
        disconnect()
        let deadline = Instant.now + Self.farewell
        while let interest, .now < deadline {
            let ready = try? Poll.wait(for: [interest], until: deadline)
            _ = service(ready?[interest.descriptor] ?? [])
        }
    }

    private func send(_ request: ConnectionRequest) {
        stream.send(request.encoded)
        stream.flush()
    }
}

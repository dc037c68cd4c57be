import Outbox
import Posix
import Primitives
import Sightings

/// The radio's end of the connection to the uplink. It keeps what a new uplink needs when one ends.
package struct UplinkLink {
    /// What the uplink reports, and the link does not handle itself.
    package enum Event: Equatable, Sendable {
        case order(ApplyRequest)
        case reloaded([UInt8])
        case layers([UInt8])
        case service([ServiceManager.Notification])
    }

    /// The batches that are kept for the uplink: an hour of windows of a second.
    private static let maxBatches = 4096
    /// A source that can wait, as a capture can, waits for this many.
    private static let maxPatientBatches = 1000
    private static let maxOrders = 4
    /// The unsent bytes from which on messages wait or are refused.
    private static let maxUnsent = 1 << 16

    private let origin: Origin
    private var stream: FrameStream?
    private var retained: RetainedBatches
    /// The latest state of the radio, for a new uplink.
    private var radio: [UInt8]?
    private var controller: [UInt8]?
    /// The orders of the present uplink that are not answered.
    private var orders: Set<UInt64> = []
    /// Whether an uplink must read the configuration file again.
    private var isReloading = false
    private var isStopping = false
    private var isStopSent = false
    /// Questions that the present uplink has not answered.
    private(set) var unanswered = 0
    private(set) var account: UplinkAccount?

    package init(_ origin: Origin, isPatient: Bool = false) {
        self.origin = origin
        retained = RetainedBatches(maxCount: isPatient ? Self.maxPatientBatches : Self.maxBatches)
    }

    /// The number of batches that a new uplink gets first.
    var batches: Int { retained.count }

    package var interest: Poll.Interest? { stream?.interest }

    /// Whether the uplink has closed its end, or sent something malformed.
    var isAtEnd: Bool { stream?.isAtEnd ?? false }

    // MARK: An uplink

    /// A new uplink begins. It gets everything that the one before has not released.
    ///
    /// - Parameter start: the first message; `nil` for an uplink in this process, which has its settings.
    package mutating func begin(_ socket: consuming Descriptor, _ start: UplinkStart? = nil) {
        let stream = FrameStream(socket)
        if let start { stream.send(start.encoded) }
        for state in [radio, controller] { if let state { stream.send(state) } }
        if isReloading { stream.send(UplinkMessage.reload.encoded) }
        self.stream = stream
        isStopSent = false
        pump()
    }

    /// The uplink is over.
    mutating func end() {
        stream = nil
        retained.restart()
        orders = []
        unanswered = 0
    }

    // MARK: To the uplink

    /// A batch that does not fit is refused: it leaves a gap in the numbers, and is declared lost.
    ///
    /// - Returns: whether there was room.
    package mutating func post(_ batch: Batch, _ stamp: Stamp) -> Bool {
        let stored = StoredBatch(origin: origin, batch: batch, stamp: stamp)
        guard retained.append(batch.seq, stored.encoded) else { return false }
        pump()
        return true
    }

    /// - Returns: whether the uplink gets the message. There may be none now, or one that reads nothing.
    @discardableResult
    package mutating func post(_ message: UplinkMessage) -> Bool {
        if case .answer(let result, _) = message {
            guard orders.remove(result.id) != nil else { return false }
        }
        let bytes = message.encoded
        switch message {
        case .radio: radio = bytes
        case .controller: controller = bytes
        case .stop:
            isStopping = true
            pump()
            return true
        case .usage: unanswered += 1
        case .reload:
            isReloading = true
            // The next uplink gets it.
            if stream == nil { return true }
        default: break
        }
        guard let unsent = stream?.unsent, unsent < Self.maxUnsent else { return false }
        stream?.send(bytes)
        pump()
        return true
    }

    /// Sends what the socket takes. `stop` follows the last batch.
    package mutating func pump() {
        guard let stream else { return }
        // Batches that are left need unsent bytes before them: these cause the next call.
        repeat {
            while stream.unsent < Self.maxUnsent, let next = retained.takeNext() {
                stream.send(
                    UplinkMessage.encoded(batch: next.stored, isDecided: next.isDecided))
            }
            if isStopping, !isStopSent, !retained.hasUnsent {
                stream.send(UplinkMessage.stop.encoded)
                isStopSent = true
            }
            stream.flush()
        } while stream.unsent == 0 && retained.hasUnsent
    }

    // MARK: From the uplink

    /// Reads what has arrived.
    ///
    /// - Throws: the uplink sends something malformed.
    package mutating func receive() throws(DecodeError) -> [Event] {
        var events: [Event] = []
        for bytes in stream?.receive() ?? [] {
            if let event = handle(try UplinkReply(decoding: bytes)) { events.append(event) }
        }
        pump()
        return events
    }

    @discardableResult
    mutating func handle(_ reply: UplinkReply) -> Event? {
        switch reply {
        case .order(let request):
            // The uplink waits for an answer before it orders again.
            guard orders.count < Self.maxOrders else { return nil }
            orders.insert(request.id)
            return .order(request)
        case .account(let account):
            unanswered = 0
            retained.release(received: account.received) { account.outbox.holds($0) }
            self.account = account
            return nil
        case .decided(let seq, let stored):
            retained.decide(seq, stored)
            return nil
        case .reloaded(let bytes):
            isReloading = false
            return bytes.map { .reloaded($0) }
        case .layers(let bytes): return .layers(bytes)
        case .service(let notifications): return .service(notifications)
        }
    }
}

/// The uplink's end of the connection to the radio's process.
package final class UplinkPort {
    private let stream: FrameStream
    /// Messages that arrived with the first one.
    private var early: [[UInt8]] = []
    /// The number of batches passed on.
    private(set) var received: UInt64 = 0
    /// Whether the radio's process is gone.
    var isAtEnd: Bool { stream.isAtEnd }
    var interest: Poll.Interest { Poll.Interest(stream.descriptor) }

    package init(_ socket: consuming Descriptor) { stream = FrameStream(socket) }

    /// Passes on the messages that have arrived. A malformed one is left out.
    func take(_ handle: (UplinkMessage) -> Void) {
        let messages = early + stream.receive()
        early = []
        for bytes in messages {
            if let message = try? UplinkMessage(decoding: bytes) { handle(message) }
            // An account that counts a batch says whether the outbox holds it: the outbox must have it by then.
            if UplinkMessage.isBatch(bytes) { received += 1 }
        }
    }

    /// Waits for the first message.
    func takeStart() -> UplinkStart? {
        while !stream.isAtEnd {
            _ = try? Poll.wait(for: [interest])
            let messages = stream.receive()
            guard let first = messages.first else { continue }
            early = Array(messages.dropFirst())
            return try? UplinkStart(decoding: first)
        }
        return nil
    }

    /// Sends a message. Waits while the radio's process reads nothing.
    func post(_ reply: UplinkReply) {
        stream.send(reply.encoded)
        // Without a radio's process the message has no reader.
        try? stream.flushAll()
    }
}

/// The place of one client in its stream.
final class StreamReader {
    /// The next step of a stream.
    enum Result: Equatable {
        case bytes(Int)
        /// Nothing to send: the connection rests until it is woken.
        case suspended
        case end
        /// The client is too slow.
        case failed
    }

    private enum Phase {
        case active
        case suspended
        /// The client gets the events up to `stop` at most.
        case ending
    }

    private let stream: EventStream
    private var position: UInt64
    private var current: [UInt8]
    private var offset = 0
    private var phase = Phase.active
    /// The number of the first event that it no longer gets.
    private var stop = UInt64.max
    private var isCommentDue = false
    /// Continues the connection after `.suspended`.
    private let resume: () -> Void
    private(set) var isTooSlow = false

    private static let comment = Array(":\n\n".utf8)

    /// - Parameter isBrief: the stream ends when its client has all events. The client asks for the next ones later.
    init(_ stream: EventStream, isBrief: Bool, resume: @escaping () -> Void) {
        self.stream = stream
        position = stream.position
        let pause = isBrief ? EventStream.pauseBetweenBriefOnes : EventStream.pause
        current = Array("retry: \(pause.milliseconds)\n".utf8) + stream.opening
        phase = isBrief ? .ending : .active
        self.resume = resume
    }

    var isSuspended: Bool { phase == .suspended }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Result {
        var count = 0
        while count < buffer.count, let bytes = nextBytes(atMost: buffer.count - count) {
            buffer[count..<count + bytes.count].copyBytes(from: bytes)
            count += bytes.count
        }
        if count > 0 { return .bytes(count) }
        if isTooSlow { return .failed }
        if phase == .ending { return .end }
        phase = .suspended
        stream.channel.wait(self)
        return .suspended
    }

    /// The connection goes on: there are events, or the server stops.
    func wake() {
        guard phase == .suspended else { return }
        phase = .active
        resume()
    }

    /// Sends a comment to a client that got nothing for a while.
    func sendComment() {
        isCommentDue = true
        leave()
        wake()
    }

    /// Ends the stream as soon as its client has taken the events so far.
    func end() {
        leave()
        stop = stream.channel.ring.next
        let wasSuspended = phase == .suspended
        phase = .ending
        if wasSuspended { resume() }
    }

    /// The channel forgets a client that is gone.
    func leave() { stream.channel.stopWaiting(self) }

    private func nextBytes(atMost limit: Int) -> ArraySlice<UInt8>? {
        while offset == current.count {
            if position < min(stop, stream.channel.ring.next) {
                guard let event = stream.channel.ring.event(position) else {
                    isTooSlow = true
                    return nil
                }
                position += 1
                guard let bytes = stream.bytes(of: event) else { continue }
                current = bytes
            } else if isCommentDue {
                current = Self.comment
            } else {
                return nil
            }
            isCommentDue = false
            offset = 0
        }
        let bytes = current[offset..<min(current.count, offset + limit)]
        offset += bytes.count
        return bytes
    }
}

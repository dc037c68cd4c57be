import CommandSupport
import Glibc
import MQTT
import Posix
import Primitives
import Subscriber

/// A watcher at work: one thread that waits for the broker, signals, keys and the next redraw.
struct Watch {
    /// How things are shown.
    enum Presentation {
        case table
        case lines
        case json
    }

    /// Where the broker's trouble is told: a table has a line for it, everything else standard error.
    private let presentation: Presentation
    private let link: BrokerLink
    private let broker: String
    private let colours: Bool
    private let unicode: Bool
    private var feed: WatchFeed
    private var screen: Screen
    private var output = StandardOutput()
    private var trouble: String?
    private var schedule = RedrawSchedule()
    /// When it will be said that the broker has not answered yet, in microseconds since boot; never, once it was said.
    private var hintTime: Int64 = .max

    /// A broker should have answered by then, in microseconds.
    private static let patience: Int64 = 2_000_000

    init(
        _ command: WatchCommand, _ settings: ConnectionSettings,
        _ environment: Environment
    ) {
        let isTerminal = Terminal.isTerminal(STDOUT_FILENO) && environment.terminalCanMove
        presentation = command.json ? .json : isTerminal ? .table : .lines
        link = BrokerLink(settings, filters: command.filters)
        broker = "\(command.connection.broker)"
        colours = isTerminal && environment.wantsColours
        unicode = environment.isUTF8
        feed = WatchFeed(root: command.connection.root)
        screen = Screen(STDOUT_FILENO, size: Screen.size(of: STDOUT_FILENO))
    }

    /// Runs until a signal, the key `q`, the end of the time, or a failure to connect at the start.
    mutating func run(seconds: Int?) -> ExitCode {
        let signals: Signals
        do throws(Errno) {
            signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGWINCH])
        } catch {
            StandardOutput.complain("can't wait for signals: \(error)")
            return .failed
        }
        let silence = presentation == .table ? Terminal.Silence(STDIN_FILENO) : nil
        var listensToKeys = silence != nil
        let end = seconds.map { Clocks.boot + Int64($0) * 1_000_000 } ?? .max
        hintTime = Clocks.boot + Self.patience
        var status: ExitCode?
        while status == nil {
            var interests = [Poll.Interest(signals.descriptor.rawValue)]
            let keys = listensToKeys ? interests.count : nil
            if listensToKeys { interests.append(Poll.Interest(STDIN_FILENO)) }
            let connection = link.interest.map { _ in interests.count }
            if let interest = link.interest { interests.append(interest) }
            let ready: [Poll.Events]
            do throws(Errno) {
                ready = try Poll.wait(for: interests, timeout: timeout(until: end))
            } catch {
                StandardOutput.complain("can't wait: \(error)")
                status = .failed
                break
            }
            while let signal = signals.next() {
                if signal == SIGWINCH { resize() } else { status = .done }
            }
            if let keys, !ready[keys].isEmpty {
                switch Self.key() {
                case .quit: status = .done
                case .other: break
                case .closed: listensToKeys = false
                }
            }
            let now = Clocks.boot
            if now >= end { status = .done }
            for event in link.service(connection.map { ready[$0] } ?? [], at: now) {
                if let failure = take(event, at: now) { status = status ?? failure }
            }
            if status == nil { hint(at: now) }
            show(at: now)
            if output.failure != nil { status = .failed }
        }
        link.leave()
        finish()
        return status ?? .done
    }

    private func timeout(until end: Int64) -> Int {
        let now = Clocks.boot
        var wake = min(end, link.deadline(after: now))
        if presentation == .table { wake = min(wake, nextRedraw) }
        if !link.wasConnected { wake = min(wake, hintTime) }
        // One more, so that what is waited for is not missed by a part of a millisecond.
        return Int(clamping: max(0, wake - now) / 1000 + (wake > now ? 1 : 0))
    }

    private mutating func take(_ event: BrokerLink.Event, at now: Int64) -> ExitCode? {
        switch event {
        case .message(let message):
            schedule.changed(at: now)
            if presentation == .json {
                output.write(bytes: WatchFeed.rawLine(message.payload))
                return nil
            }
            let lines = feed.on(
                topic: message.topic, payload: message.payload, at: Instant(microseconds: now),
                wallMs: Clocks.wall / 1000)
            if presentation == .lines { lines.forEach { output.write($0 + "\n") } }
        case .subscribed, .acknowledged: break
        case .trouble(let sentence):
            schedule.changed(at: now)
            trouble = sentence
            feed.interrupt()
            if presentation != .table { StandardOutput.complain(sentence) }
        case .recovered:
            schedule.changed(at: now)
            trouble = nil
            if presentation != .table {
                StandardOutput.complain(
                    "connected to \(broker) again; what was published in between is not shown")
            }
        case .oversized(let topic, let bytes):
            schedule.changed(at: now)
            feed.noteUnreadable()
            if presentation != .table {
                StandardOutput.complain(
                    "a message of \(bytes.grouped) bytes on \(topic.printable(limit: 300)) is too large"
                )
            }
        case .failed(let sentence):
            output.flush()
            StandardOutput.complain(sentence)
            return .failed
        }
        return nil
    }

    /// A broker that accepts and then says nothing would look like one without gateways.
    private mutating func hint(at now: Int64) {
        guard !link.wasConnected, now >= hintTime else { return }
        hintTime = .max
        StandardOutput.complain("waiting for an answer from \(link.address)")
    }

    private mutating func show(at now: Int64) {
        feed.pass(to: Instant(microseconds: now))
        if presentation == .table, now >= nextRedraw { draw(at: now) }
        output.flush()
    }

    /// When the table is to be drawn next: not before there is a connection.
    private var nextRedraw: Int64 { link.wasConnected ? schedule.next : .max }

    private mutating func draw(at now: Int64) {
        let renderer = TableRenderer(
            screen: .init(
                width: screen.size.columns, height: screen.size.rows, colours: colours,
                unicode: unicode))
        let heading = TableRenderer.Heading(
            broker: broker, trouble: trouble, unreadable: feed.unreadable)
        output.write(
            screen.redraw(
                renderer.lines(feed.model, heading, at: Instant(microseconds: now))))
        schedule.drawn(at: now)
    }

    private mutating func resize() {
        guard presentation == .table else { return }
        let (screen, text) = screen.resized()
        self.screen = screen
        output.write(text)
        schedule.demand()
    }

    private mutating func finish() {
        if presentation == .table { output.write(screen.farewell()) }
        output.flush()
        switch output.failure {
        case nil: break
        case .brokenPipe: StandardOutput.endByBrokenPipe()
        case .some(let failure): StandardOutput.complain("can't write: \(failure)")
        }
    }

    private enum Key {
        case quit
        case other
        case closed
    }

    private static func key() -> Key {
        var bytes = [UInt8](repeating: 0, count: 64)
        let read = bytes.withUnsafeMutableBytes { Descriptor.read(STDIN_FILENO, into: $0) }
        guard case .success(let count?) = read, count > 0 else { return .closed }
        return bytes.prefix(count).contains(UInt8(ascii: "q")) ? .quit : .other
    }
}

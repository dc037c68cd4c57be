import Glibc
import MQTT
import Posix
import Primitives
import Subscriber

/// A subcommand that reads from a broker until it is done: a value that the `TerminalLoop` drives.
package protocol TerminalProgram {
    /// The time of the next `tick` without another event.
    var deadline: Instant? { get }

    mutating func on(_ event: TerminalLoop.Event, at now: Instant) -> [TerminalLoop.Command]

    /// The next message to publish. The answer is an `acknowledged` event with the same token.
    mutating func nextPublication() -> (message: Publication, token: UInt64)?

    /// The output at the end of a round, after all events and publications.
    mutating func render(at now: Instant) -> [TerminalLoop.Command]

    /// The last output, after the connection is closed.
    mutating func finish() -> [TerminalLoop.Command]
}

extension TerminalProgram {
    package mutating func nextPublication() -> (message: Publication, token: UInt64)? { nil }
    package mutating func finish() -> [TerminalLoop.Command] { [] }
}

/// One thread that waits for the broker, signals, keys and deadlines, and drives a `TerminalProgram`.
package struct TerminalLoop {
    package enum Event {
        case broker(BrokerLink.Event)
        /// The broker at this address has not answered the first connection for some seconds. Sent once.
        case noAnswer(address: String)
        /// SIGINT, SIGTERM or SIGHUP.
        case interrupted
        /// SIGWINCH.
        case resized
        /// Bytes from the keyboard.
        case keys([UInt8])
        /// Sent in each round after all other events.
        case tick
    }

    package enum Command: Equatable {
        case write(String)
        case writeBytes([UInt8])
        /// Writes to standard error unchanged, for a status line.
        case writeError(String)
        /// Writes a message to standard error, after all output before it.
        case report(String)
        /// Ends the loop after this round. The first exit code counts.
        case exit(ExitCode)
    }

    private let link: BrokerLink
    private let readsKeys: Bool
    /// The time of `noAnswer`; `nil` after it.
    private var noticeDue: Instant?
    private var exit: ExitCode?

    private static let patience = Duration.seconds(2)

    /// - Parameter readsKeys: delivers keys immediately and without echo if standard input is a terminal.
    package init(_ link: BrokerLink, readsKeys: Bool = false) {
        self.link = link
        self.readsKeys = readsKeys
    }

    /// Runs until the program exits, or standard output fails.
    package mutating func run(
        _ program: inout some TerminalProgram, to output: inout StandardOutput
    ) -> ExitCode {
        let signals: Signals
        do throws(Errno) {
            signals = try Signals([SIGINT, SIGTERM, SIGHUP, SIGWINCH])
        } catch {
            StandardOutput.report("signals can't be received: \(error)")
            return .failed
        }
        let silence = readsKeys ? Terminal.Silence(STDIN_FILENO) : nil
        var keyboard = silence == nil ? nil : STDIN_FILENO
        noticeDue = .now + Self.patience
        while exit == nil {
            let connection = link.interest
            var interests = [Poll.Interest(signals.descriptor.rawValue)]
            if let keyboard { interests.append(Poll.Interest(keyboard)) }
            if let connection { interests.append(connection) }
            let ready: Poll.Ready
            do throws(Errno) {
                ready = try Poll.wait(for: interests, until: deadline(program))
            } catch {
                perform([.report("poll failed: \(error)"), .exit(.failed)], &output)
                break
            }
            let now = Instant.now
            var events = Self.events(signals)
            if !ready[keyboard].isEmpty {
                let bytes = Self.keys()
                if bytes.isEmpty { keyboard = nil } else { events.append(.keys(bytes)) }
            }
            events += link.service(ready[connection?.descriptor], at: now).map { .broker($0) }
            if !link.wasConnected, let noticeDue, now >= noticeDue {
                self.noticeDue = nil
                events.append(.noAnswer(address: link.address))
            }
            for event in events + [.tick] { perform(program.on(event, at: now), &output) }
            publish(&program, &output, at: now)
            perform(program.render(at: now), &output)
            output.flush()
            if output.failure != nil { exit = exit ?? .failed }
        }
        link.leave()
        perform(program.finish(), &output)
        output.flush()
        return exit ?? .failed
    }

    private func deadline(_ program: some TerminalProgram) -> Instant {
        let link = self.link.deadline(after: .now)
        let notice = self.link.wasConnected ? nil : noticeDue
        return [program.deadline, notice].compactMap(\.self).reduce(link, min)
    }

    private mutating func publish(
        _ program: inout some TerminalProgram, _ output: inout StandardOutput, at now: Instant
    ) {
        while link.takesPublications, let (message, token) = program.nextPublication() {
            do throws(PublishFailure) {
                try link.publish(message, token: token)
            } catch {
                // Without a connection, the program publishes again on the next one.
                guard case .refused(let reason) = error else { return }
                let event = Event.broker(.acknowledged(token: token, reason))
                perform(program.on(event, at: now), &output)
            }
        }
    }

    private mutating func perform(_ commands: [Command], _ output: inout StandardOutput) {
        for command in commands {
            switch command {
            case .write(let text): output.write(text)
            case .writeBytes(let bytes): output.write(bytes: bytes)
            case .writeError(let text):
                output.flush()
                StandardOutput.writeError(text)
            case .report(let message):
                output.flush()
                StandardOutput.report(message)
            case .exit(let code): exit = exit ?? code
            }
        }
    }

    private static func events(_ signals: Signals) -> [Event] {
        var events: [Event] = []
        while let signal = signals.next() {
            events.append(signal == SIGWINCH ? .resized : .interrupted)
        }
        return events
    }

    /// The bytes that are typed; none if the terminal is closed.
    private static func keys() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let read = bytes.withUnsafeMutableBytes { Descriptor.read(STDIN_FILENO, into: $0) }
        guard case .success(let count?) = read, count > 0 else { return [] }
        return Array(bytes.prefix(count))
    }
}

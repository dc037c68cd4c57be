import Glibc
import MQTT
import Posix
import Primitives
import Session
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

extension BrokerOptions {
    /// Drives a program with messages of the broker until it exits.
    ///
    /// - Parameter maximumPayload: larger messages are not delivered.
    package func run(
        _ program: inout some TerminalProgram, _ filters: [String],
        dispensable: Set<String> = [], quality: QualityOfService = .atLeastOnce,
        maximumPayload: Int, usesScreen: Bool = false, to output: inout StandardOutput
    ) -> ExitCode {
        do throws(Unusable) {
            let settings = try settings(maximumPayload: maximumPayload)
            let session = BrokerSession(
                .init(settings, filters: filters, dispensable: dispensable, quality: quality))
            var loop = TerminalLoop(session, usesScreen: usesScreen, advice: advice)
            return loop.run(&program, to: &output)
        } catch {
            StandardOutput.report(error.message)
            return .wrongUse
        }
    }
}

/// One thread that waits for the broker, signals, keys and deadlines, and drives a `TerminalProgram`.
package struct TerminalLoop {
    package enum Event {
        case broker(BrokerSession.Event)
        /// The broker at this address has not answered the first connection for some seconds. Sent once.
        case noAnswer(address: String)
        /// SIGINT, SIGTERM, SIGHUP or SIGQUIT.
        case interrupted
        /// The size of the terminal's screen, at the start and after each change. Only with `usesScreen`.
        case resized(Terminal.Size)
        /// Only with `usesScreen`, if standard input is a terminal.
        case key(Key)
        /// The line that answers `ask`, without its line feed; `nil` at the end of standard input.
        case answer(String?)
        /// Sent in each round after all other events.
        case tick
    }

    package enum Command: Equatable {
        case write(String)
        case writeBytes([UInt8])
        /// Shows these lines on the alternate screen. The first frame opens it. It is closed at the end, and while the
        /// program is suspended.
        case draw([String])
        /// Writes to standard error unchanged, for a status line.
        case writeError(String)
        /// Writes a question to standard error, and waits for a line of standard input.
        case ask(String)
        /// Writes a message to standard error, after all output before it and after the screen is closed.
        case report(String)
        /// Ends the loop after this round. The first exit code counts.
        case exit(ExitCode)
    }

    private let session: BrokerSession
    private let usesScreen: Bool
    /// The remedy to print after a first connection that fails.
    private let advice: String?
    /// Writes a message to standard error, with the program's name.
    private let report: (String) -> Void
    private var screen: TerminalScreen?
    /// Messages for the time after the screen is closed.
    private var heldReports: [String] = []
    /// The time of `noAnswer`; `nil` after it.
    private var noticeDue: Instant?
    private var exit: ExitCode?
    /// The beginning of the answer to a question; `nil` without a question.
    private var answer: [UInt8]?

    private var hasConnected: Bool { session.connections > 0 }

    private static let patience = Duration.seconds(2)

    /// - Parameters:
    ///   - usesScreen: the program draws frames on a terminal and reads keys.
    ///   - advice: the remedy to print after a first connection that fails.
    ///   - report: writes a message to standard error, with the program's name.
    package init(
        _ session: BrokerSession, usesScreen: Bool = false, advice: String? = nil,
        report: @escaping (String) -> Void = StandardOutput.report
    ) {
        self.session = session
        self.usesScreen = usesScreen
        self.advice = advice
        self.report = report
    }

    /// Runs until the program exits, or standard output fails.
    package mutating func run(
        _ program: inout some TerminalProgram, to output: inout StandardOutput
    ) -> ExitCode {
        let signals: Signals
        do throws(Errno) {
            signals = try Signals(
                [SIGINT, SIGTERM, SIGHUP]
                    + (usesScreen ? [SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT] : []))
        } catch {
            report("signals can't be received: \(error)")
            return .failed
        }
        let keyboard = usesScreen ? Keyboard() : nil
        noticeDue = .now + Self.patience
        if usesScreen { perform(program.on(.resized(TerminalScreen.size), at: .now), &output) }
        while exit == nil {
            let connection = session.interest
            let interests = [
                Poll.Interest(signals.descriptor.rawValue), keyboard?.interest, connection,
                answer.map { _ in Poll.Interest(STDIN_FILENO) },
            ].compactMap(\.self)
            let ready: Poll.Ready
            do throws(Errno) {
                ready = try Poll.wait(for: interests, until: deadline(program, keyboard))
            } catch {
                perform([.report("poll failed: \(error)"), .exit(.failed)], &output)
                break
            }
            var events = take(signals, keyboard, &output)
            let now = Instant.now
            for key in keyboard?.keys(ready[keyboard?.interest?.descriptor], at: now) ?? [] {
                if key == .refresh { screen?.forget() }
                events.append(.key(key))
            }
            events += session.service(ready[connection?.descriptor], at: now).map { .broker($0) }
            if answer != nil, !ready[STDIN_FILENO].isEmpty, let event = readAnswer() {
                events.append(event)
            }
            if !hasConnected, let noticeDue, now >= noticeDue {
                self.noticeDue = nil
                events.append(.noAnswer(address: session.address))
            }
            for event in events + [.tick] { perform(program.on(event, at: now), &output) }
            publish(&program, &output, at: now)
            perform(program.render(at: now), &output)
            output.flush()
            if output.failure != nil { exit = exit ?? .failed }
        }
        session.leave()
        closeScreen(&output)
        perform(program.finish(), &output)
        if let advice, !hasConnected { perform([.report(advice)], &output) }
        output.flush()
        return exit ?? .failed
    }

    private func deadline(_ program: some TerminalProgram, _ keyboard: Keyboard?) -> Instant {
        let connection = session.deadline(after: .now)
        let notice = hasConnected ? nil : noticeDue
        return [program.deadline, notice, keyboard?.deadline].compactMap(\.self).reduce(
            connection, min)
    }

    private mutating func publish(
        _ program: inout some TerminalProgram, _ output: inout StandardOutput, at now: Instant
    ) {
        while session.takesPublications, let (message, token) = program.nextPublication() {
            do throws(PublishFailure) {
                try session.publish(message, token: token)
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
            case .ask(let question):
                output.flush()
                StandardOutput.writeError(question)
                // What was typed before the question is no answer to it.
                tcflush(STDIN_FILENO, TCIFLUSH)
                answer = []
            case .draw(let lines):
                if screen == nil { openScreen(&output) }
                output.write(screen?.frame(lines) ?? "")
            case .report(let message):
                guard screen == nil else {
                    heldReports.append(message)
                    continue
                }
                output.flush()
                // The question has no answer yet, and no end of its line.
                if answer != nil { StandardOutput.writeError("\n") }
                report(message)
            case .exit(let code): exit = exit ?? code
            }
        }
    }

    /// - Returns: the answer, once it is complete.
    private mutating func readAnswer() -> Event? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let read = bytes.withUnsafeMutableBytes { Descriptor.read(STDIN_FILENO, into: $0) }
        if case .success(nil) = read { return nil }
        let count = (try? read.get()) ?? 0
        let text = (answer ?? []) + bytes.prefix(count)
        guard count == 0 || text.contains(UInt8(ascii: "\n")) || text.count > bytes.count else {
            answer = text
            return nil
        }
        answer = nil
        guard !text.isEmpty else { return .answer(nil) }
        return .answer(
            String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private mutating func take(
        _ signals: Signals, _ keyboard: Keyboard?, _ output: inout StandardOutput
    ) -> [Event] {
        var events: [Event] = []
        while let signal = signals.next() {
            switch signal {
            case SIGTSTP: suspend(signals, keyboard, &output)
            case SIGCONT, SIGWINCH: break
            default:
                events.append(.interrupted)
                continue
            }
            // After a stop, the screen shows another program's text, and its size can be another one.
            screen?.forget()
            events.append(.resized(TerminalScreen.size))
        }
        return events
    }

    /// Returns the terminal to the shell until the program is continued.
    private mutating func suspend(
        _ signals: Signals, _ keyboard: Keyboard?, _ output: inout StandardOutput
    ) {
        let wasOpen = screen != nil
        closeScreen(&output)
        output.flush()
        keyboard?.close()
        signals.deliver(SIGTSTP)
        keyboard?.open()
        if wasOpen { openScreen(&output) }
    }

    private mutating func openScreen(_ output: inout StandardOutput) {
        var screen = TerminalScreen()
        output.write(screen.opened())
        self.screen = screen
    }

    private mutating func closeScreen(_ output: inout StandardOutput) {
        guard let screen else { return }
        output.write(screen.closed())
        self.screen = nil
        perform(heldReports.map { .report($0) }, &output)
        heldReports = []
    }
}

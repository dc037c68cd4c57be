import HCI
import Primitives

/// The one command of the gateway that a controller executes, and the credit for the next one.
struct CommandSlot {
    struct Outstanding {
        let command: HCICommand
        /// `nil` for a command of the advertiser.
        let queued: QueuedCommand?
        let deadline: Instant
    }

    private(set) var outstanding: Outstanding?
    /// The command of another program that the controller executes. The kernel sends one command at a time.
    private var foreign: HCICommand?
    private var credits: UInt8 = 1
    /// When the wait for a credit times out.
    private var creditDeadline: Instant?

    var deadline: Instant? { outstanding?.deadline ?? creditDeadline }

    mutating func grant(_ credits: UInt8) { self.credits = credits }

    mutating func overheard(_ command: HCICommand) { foreign = command }

    /// Whether an answer is for the gateway's command, and not for another program's.
    func isOwn(_ opcode: Opcode) -> Bool {
        outstanding?.command.opcode == opcode && foreign?.opcode != opcode
    }

    /// The gateway's command that an answer is for; `nil` if it is for another program's.
    mutating func takeOwn(_ opcode: Opcode) -> Outstanding? {
        guard isOwn(opcode) else { return nil }
        defer { (outstanding, foreign) = (nil, nil) }
        return outstanding
    }

    /// The command of another program that an answer is for; `nil` if the gateway has not heard it.
    mutating func takeForeign(_ opcode: Opcode) -> HCICommand? {
        // Opcode 0 only grants credits.
        guard opcode != .none else { return nil }
        defer { foreign = nil }
        return foreign?.opcode == opcode ? foreign : nil
    }

    /// Whether the next command may be sent. Without a credit, the wait for one begins.
    mutating func isFree(for next: HCICommand?, at now: Instant) -> Bool {
        guard outstanding == nil, next != nil else {
            creditDeadline = nil
            return false
        }
        // A controller that never gives a credit is as dead as one that never answers.
        creditDeadline = credits > 0 ? nil : creditDeadline ?? now + Controller.answerTimeout
        return credits > 0
    }

    mutating func send(_ command: HCICommand, _ queued: QueuedCommand?, at now: Instant) {
        outstanding = Outstanding(
            command: command, queued: queued, deadline: now + Controller.answerTimeout)
    }

    /// Checks the time-outs.
    ///
    /// - Parameter next: the command that waits for a credit.
    /// - Returns: whether a probe has timed out, which is no fault.
    mutating func tick(next: HCICommand?, at now: Instant) throws(Controller.Fault) -> Bool {
        if let creditDeadline, creditDeadline <= now, let next { throw .timedOut(next.opcode) }
        guard let outstanding, outstanding.deadline <= now else { return false }
        guard outstanding.queued?.milestone == .probeAnswered else {
            throw .timedOut(outstanding.command.opcode)
        }
        self.outstanding = nil
        return true
    }
}

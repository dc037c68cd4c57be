import HCI
import Primitives

/// Our own advertising: from what is wished and what the controller holds to the next command.
///
/// A wish is carried out whole or not at all: when a command of it is refused, what was on the air before goes back. A
/// value: whoever has the dialogue with the controller asks for the `next` command when nothing else is to be said, and
/// brings its answer back.
struct Advertiser {
    /// What those who wished are to be told.
    enum News: Equatable {
        case answered(AdvertisingOutcome)
        /// What is on the air has changed without a wish.
        case changed
    }

    /// Commands that lead to one end.
    private struct CommandSequence {
        enum Purpose {
            case wish
            /// Back to what was on the air before the wish that was refused.
            case wayBack(AdvertisingRefusal)
            /// Put what is in force back, of our own accord.
            case restore
        }

        let purpose: Purpose
        /// What is to be on the air at the end.
        let target: Advertising?
        var pieces: [AdvertisingStep]
    }

    private var capabilities: Capabilities?
    private var held = HeldAdvertising()
    /// The latest wish that was carried out; the first one already before that: it is in force since before the radio was
    /// opened, and is to get on the air some day.
    private var inForce: DesiredAdvertising
    /// Whether what is in force has been carried out since the controller was opened.
    private var isVerified = false
    /// The latest wish, until it is answered.
    private var wish: DesiredAdvertising?
    private var sequence: CommandSequence?
    /// The piece that the controller has not answered; it may be left over from a sequence that was abandoned.
    private var sent: AdvertisingStep?
    private var restore = RestoreSchedule()
    /// The state that was told of last.
    private var told = AdvertisingState()
    private var news: [News] = []
    /// How often somebody else has changed what should have been on the air.
    private(set) var interferences = 0

    init(_ wish: DesiredAdvertising) {
        inForce = wish
        self.wish = wish
    }

    var state: AdvertisingState { held.state }

    /// Whether something of ours may be on the air.
    var mayBeOn: Bool { held.mayBeOurs }

    /// When `plan` has something to do even if nothing comes.
    var deadline: Instant? { sequence == nil && sent == nil ? restore.due : nil }

    /// The command that is to be sent now.
    var next: Command? {
        guard sent == nil, let family = capabilities?.family else { return nil }
        return sequence?.pieces.first?.command(family)
    }

    /// What has happened since this was last asked.
    mutating func takeNews() -> [News] {
        defer { news = [] }
        return news
    }

    /// The controller has said what it can do.
    mutating func begin(_ capabilities: Capabilities) { self.capabilities = capabilities }

    /// Something is wished; it takes the place of what is in the works, whose command under way is still awaited.
    mutating func wish(_ new: DesiredAdvertising) {
        if wish == new, case .wish? = sequence?.purpose { return }
        wish = new
        sequence = nil
        restore.cancel()
        if sent == nil, isFulfilled(new) { fulfil(new) }
    }

    /// Decides what to do next, if nothing is being done.
    ///
    /// - Parameter mayRestore: whether all that has come has been taken in, so that it is time to answer meddling.
    mutating func plan(at now: Instant, mayRestore: Bool) {
        guard let capabilities, sequence == nil, sent == nil else { return }
        if let due = restore.due {
            guard mayRestore, due <= now else { return }
            restore.begin(at: now)
        } else if wish == nil {
            return
        }
        let goal = wish ?? inForce
        guard !isFulfilled(goal) else { return fulfil(goal) }
        guard goal.advertising == nil || capabilities.canScanWhileAdvertising else {
            return refuse(.cannotScanWhileAdvertising, at: now)
        }
        sequence = CommandSequence(
            purpose: wish == nil ? .restore : .wish, target: goal.advertising,
            pieces: goal.advertising.map(HeldAdvertising.all) ?? [.disable])
    }

    /// The `next` command has been sent.
    mutating func send() {
        sent = sequence?.pieces.first
        if let sent { held.send(sent) }
    }

    /// The command under way has been answered.
    ///
    /// - Parameters:
    ///   - txPowerDbm: what the controller chose, in dBm, if it said so.
    ///   - mayTryAgain: whether the other command family can still be silenced.
    /// - Returns: whether the other family is to be silenced before the next command.
    mutating func answered(
        _ status: Status, txPowerDbm: Int8?, mayTryAgain: Bool, at now: Instant
    ) -> Bool {
        guard let piece = sent else { return false }
        sent = nil
        defer { tellChange() }
        var isRefused = false
        if status == .success {
            held.accept(piece, txPowerDbm: txPowerDbm)
        } else {
            isRefused = !held.refuse(piece, status)
        }
        guard sequence != nil else { return false }
        if isRefused, matters(piece) {
            guard status == .commandDisallowed, piece != .disable, mayTryAgain else {
                refused(piece, status, at: now)
                return false
            }
            sequence = sequence.map { again($0) }
            return true
        }
        sequence?.pieces.removeFirst()
        if sequence?.pieces.isEmpty == true { finish(at: now) }
        return false
    }

    /// Somebody else's command has succeeded.
    mutating func overhear(_ opcode: Opcode, at now: Instant) {
        guard let family = capabilities?.family, held.overhear(opcode, family) else { return }
        if (wish ?? inForce).advertising != nil, restore.due == nil {
            interferences += 1
            restore.schedule(at: now)
        }
        tellChange()
    }

    /// What we have sent for other reasons may have switched ours off.
    mutating func disturb(at now: Instant) {
        guard held.isEnabled == true else { return }
        held.forget()
        if restore.due == nil { restore.schedule(at: now) }
        tellChange()
    }

    /// What was off anyway need not be switched off, before something else is switched on.
    private func matters(_ piece: AdvertisingStep) -> Bool {
        piece != .disable || held.isEnabled == true || sequence?.target == nil
    }

    private func again(_ sequence: CommandSequence) -> CommandSequence {
        var sequence = sequence
        if let target = sequence.target {
            if case .wayBack = sequence.purpose {
                sequence.pieces = held.missing(until: target)
            } else {
                sequence.pieces = HeldAdvertising.all(of: target)
            }
        }
        return sequence
    }

    private mutating func refused(
        _ piece: AdvertisingStep, _ status: Status, at now: Instant
    ) {
        guard let sequence, let family = capabilities?.family else { return }
        self.sequence = nil
        switch sequence.purpose {
        case .wish:
            let refusal = piece.refusal(status, family)
            let target = isVerified ? inForce.advertising : nil
            let pieces = target.map(held.missing) ?? (held.mayBeOurs ? [.disable] : [])
            guard !pieces.isEmpty else { return refuse(refusal, at: now) }
            self.sequence = CommandSequence(
                purpose: .wayBack(refusal), target: target, pieces: pieces)
        case .wayBack(let refusal): refuse(refusal, at: now)
        case .restore: restore.postpone(at: now)
        }
    }

    /// All commands of the sequence have been accepted.
    private mutating func finish(at now: Instant) {
        guard let sequence else { return }
        self.sequence = nil
        if case .wayBack(let refusal) = sequence.purpose { return refuse(refusal, at: now) }
        let goal = wish ?? inForce
        if isFulfilled(goal) {
            fulfil(goal)
        } else {
            // Somebody meddled meanwhile.
            restore.schedule(at: now)
        }
    }

    private func isFulfilled(_ wish: DesiredAdvertising) -> Bool {
        switch wish {
        case .untouched: !held.mayBeOurs
        case .off: held.isEnabled == false
        case .on(let advertising): held.isOnAir(advertising)
        }
    }

    private mutating func fulfil(_ goal: DesiredAdvertising) {
        inForce = goal
        isVerified = true
        restore.cancel()
        answer(.applied)
    }

    private mutating func refuse(_ refusal: AdvertisingRefusal, at now: Instant) {
        answer(.refused(refusal))
        // No patience makes a controller able to do it.
        if isFulfilled(inForce) || refusal == .cannotScanWhileAdvertising {
            restore.cancel()
        } else {
            restore.postpone(at: now)
        }
    }

    private mutating func answer(_ outcome: AdvertisingOutcome) {
        guard wish != nil else { return }
        wish = nil
        told = state
        news.append(.answered(outcome))
    }

    private mutating func tellChange() {
        guard wish == nil, state != told else { return }
        told = state
        news.append(.changed)
    }
}

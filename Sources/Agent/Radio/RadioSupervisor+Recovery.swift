import Beacons
import Posix
import Primitives
import Radio

/// What the ladder says, done: each step is told in the log once until all is well again.
extension RadioSupervisor {
    /// The longest that an ending agent waits for an adapter to be up again, in milliseconds.
    private static let longestFarewell = 5000

    /// Other beacons must always be heard from now on.
    package func setReferences(_ references: [BeaconIdentity], at now: Instant) {
        recoverySettings.references = references
        listener?.watch(references, at: now)
        want(ladder.expect(references: !references.isEmpty, at: now))
    }

    func want(_ action: RecoveryPolicy.Action?) {
        if let action { wanted.append(action) }
    }

    /// Asks the ladder, and does what is wanted.
    func climb(at now: Instant) throws(RadioFailure) {
        want(ladder.tick(at: now, heard))
        try unmask(at: now)
        while !wanted.isEmpty { try carryOut(wanted.removeFirst(), at: now) }
    }

    private func carryOut(_ action: RecoveryPolicy.Action, at now: Instant) throws(RadioFailure) {
        switch action {
        case .probe:
            tell("nothing heard: asking the controller", isTrouble: false)
            try radio?.probe(at: now) { changed($0, at: now) }
        case .apply(let remedy):
            settle(at: now)
            try apply(remedy, at: now)
        case .rest(let until):
            tell("the radio is given up for a while")
            // A radio that is open goes on listening meanwhile.
            if radio == nil { retry = until }
            settle(at: now)
        case .recovered(let remedy):
            log.info("the radio works again", ["after": remedy.map { "\($0)" } ?? "a while"])
            told = []
            settle(at: now)
        }
    }

    /// Who resets a shared controller clears its event masks, which can't be read; the kernel sets them only when the
    /// adapter comes up. Not without need: the kernel's own may have more than we know of.
    private func unmask(at now: Instant) throws(RadioFailure) {
        guard isUnmaskDue else { return }
        isUnmaskDue = false
        mayBeMasked = false
        tell("nothing heard since the radio was opened: asking for its events anew")
        try radio?.unmask(at: now) { changed($0, at: now) }
    }

    private func apply(_ remedy: RecoveryStep, at now: Instant) throws(RadioFailure) {
        switch remedy {
        case .rescan:
            guard let radio else { return tell("opening the radio again") }
            tell("the radio is silent: switching the scan off and on")
            try radio.rescan(at: now) { changed($0, at: now) }
        case .reset:
            guard radio != nil else { return tell("resetting the controller") }
            tell("the radio is silent: resetting the controller")
            reopen(at: now)
        case .powerCycle:
            tell("the radio is silent: switching the adapter off and on")
            reopen(at: now)
            powerCycle = recoverySettings.powerCycle()
            if powerCycle == nil { want(ladder.forgo(.powerCycle, at: now)) }
        }
    }

    private func reopen(at now: Instant) {
        if radio != nil { close(at: now) }
        retry = now
        guard let order else { return }
        self.order = nil
        answer(ApplyResult(id: order.id, outcome: .postponed), controllerState)
    }

    /// Looks whether the adapter has been down and up.
    func awaitPower(at now: Instant) {
        guard let outcome = powerCycle?.outcome() else { return }
        powerCycle = nil
        retry = now
        guard case .failure(let error) = outcome else { return }
        if error == .notPermitted || error == .permissionDenied {
            tell("the adapter can't be switched off and on: that needs CAP_NET_ADMIN")
            want(ladder.forgo(.powerCycle, at: now))
        } else {
            // Opening it will say what is wrong with it.
            log.warning("the adapter could not be switched off and on", ["reason": error])
            mayHaveLeftDown = true
        }
    }

    /// An adapter must not be left down.
    func waitForPower() {
        guard let cycle = powerCycle, let descriptor = cycle.descriptor else { return }
        _ = try? Poll.wait(for: [Poll.Interest(descriptor)], timeout: Self.longestFarewell)
        powerCycle = nil
    }

    private func tell(_ sentence: String, isTrouble: Bool = true) {
        guard told.insert(sentence).inserted else { return }
        if isTrouble { log.warning(sentence) } else { log.info(sentence) }
    }
}

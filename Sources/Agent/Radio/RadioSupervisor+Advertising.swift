import Contract
import Primitives
import Radio
import Sightings

extension RadioSupervisor {
    /// Brings settings into force, the controller first; `answer` tells what came of it.
    package func apply(_ order: ApplyRequest, at now: Instant) throws(RadioFailure) {
        guard DesiredAdvertising(order.settings.advertise) != DesiredAdvertising(tuning.advertise)
        else {
            tuning = order.settings
            retune(at: now)
            return reply(to: order, .applied)
        }
        guard let radio, controllerState.isReady else { return reply(to: order, .postponed) }
        self.order = order
        do throws(RadioFailure) {
            try radio.advertise(DesiredAdvertising(order.settings.advertise), at: now) {
                changed($0, at: now)
            }
        } catch {
            lost(error, at: now)
            throw error
        }
    }

    func advertised(_ outcome: AdvertisingOutcome, at now: Instant) {
        let order = order
        self.order = nil
        switch outcome {
        case .applied:
            if let order { tuning = order.settings }
            controllerState.trouble = nil
        case .refused(let refusal):
            log.error(
                "the controller refused to advertise",
                ["reason": refusal.sentence, "is": order == nil ? "in force" : "asked"])
            let wanted = DesiredAdvertising(tuning.advertise).advertising
            if radio?.advertising.advertising != wanted {
                controllerState.trouble = refusal.sentence
            }
        }
        controllerState.isReady = true
        advertisingChanged()
        lookAtController(at: now)
        guard let order else { return }
        switch outcome {
        case .applied: reply(to: order, .applied)
        case .refused(let refusal): reply(to: order, .refused(refusal))
        }
    }

    private func reply(to order: ApplyRequest, _ outcome: ApplyResult.Outcome) {
        answer(ApplyResult(id: order.id, outcome: outcome), controllerState)
    }

    /// What is on the air, as far as is known.
    func advertisingChanged() {
        guard let radio else { return }
        let before = controllerState.advertising.advertising
        controllerState.advertising = radio.advertising
        let after = controllerState.advertising.advertising
        if DesiredAdvertising(tuning.advertise).advertising == after {
            controllerState.trouble = nil
        }
        guard before != after else { return }
        guard let after else { return log.info("not advertising") }
        let identity = after.beacon.identity
        log.info(
            "advertising",
            [
                "uuid": identity.uuid, "major": identity.major, "minor": identity.minor,
                "intervalMs": after.interval.milliseconds,
            ])
    }

    /// An order that was under way when the radio was lost: the controller's fault, or nobody's.
    func interrupted(by failure: RadioFailure) {
        guard let order else { return }
        self.order = nil
        let outcome: ApplyResult.Outcome =
            switch failure.kind {
            case .timedOut, .hardwareError, .refused:
                .refused(
                    AdvertisingRefusal(
                        opcode: nil, status: nil, concernsInterval: false,
                        sentence: failure.sentence))
            default: .postponed
            }
        reply(to: order, outcome)
    }

    func lookAtController(at now: Instant) {
        controllerState.family = radio?.family
        controllerState.address = radio?.ownAddress?.text
        retune(at: now)
    }

    private func retune(at now: Instant) {
        listener?.retune(
            windows: windows, batches: Batcher.Settings(tuning.report), at: now, emit: publish)
    }
}

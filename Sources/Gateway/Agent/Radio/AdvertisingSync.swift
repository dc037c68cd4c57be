import Beacons
import Contract
import Logging
import Radio

/// Keeps the controller's advertising equal to the settings in force, and applies new settings as a whole.
struct AdvertisingSync {
    /// What a request for new settings needs.
    enum Decision {
        /// The request has its result already.
        case answer(ApplyResult)
        /// The controller must change its advertising first.
        case advertise(DesiredAdvertising)
    }

    /// The settings in force.
    private(set) var settings: GatewaySettings
    private(set) var state = ControllerState()
    /// The request that waits for the controller.
    private var pending: ApplyRequest?
    private let log: Log

    init(_ settings: GatewaySettings, log: Log) {
        self.settings = settings
        self.log = log
    }

    /// The advertising in force.
    var desired: DesiredAdvertising { DesiredAdvertising(settings.advertise) }

    mutating func on(_ request: ApplyRequest) -> Decision {
        let requested = DesiredAdvertising(request.settings.advertise)
        guard requested != desired else {
            settings = request.settings
            return .answer(ApplyResult(id: request.id, outcome: .applied))
        }
        guard state.isReady else {
            return .answer(ApplyResult(id: request.id, outcome: .postponed))
        }
        pending = request
        return .advertise(requested)
    }

    /// The controller has finished a request, or has the advertising in force after it was opened.
    ///
    /// - Returns: the result for the pending request, if there is one.
    mutating func on(_ outcome: AdvertisingOutcome, _ current: AdvertisingState) -> ApplyResult? {
        let request = pending
        pending = nil
        state.isReady = true
        switch outcome {
        case .applied:
            if let request { settings = request.settings }
            state.failure = nil
            changed(to: current)
            return request.map { ApplyResult(id: $0.id, outcome: .applied) }
        case .refused(let refusal):
            log.error(
                "controller refused the advertising",
                ["reason": refusal.sentence, "settings": request == nil ? "in force" : "requested"])
            if current.advertising != desired.advertising { state.failure = refusal.sentence }
            changed(to: current)
            return request.map { ApplyResult(id: $0.id, outcome: .refused(refusal)) }
        }
    }

    /// The advertising may have changed.
    mutating func changed(to current: AdvertisingState) {
        let former = state.advertising.advertising
        state.advertising = current
        if current.advertising == desired.advertising { state.failure = nil }
        guard former != current.advertising else { return }
        guard let advertising = current.advertising else { return log.info("not advertising") }
        let identity = advertising.beacon.identity
        let formats = BeaconIdentity.Format.allCases.filter {
            advertising.formats.contains(BeaconFormats($0))
        }
        log.info(
            "advertising",
            [
                "uuid": identity.uuid, "major": identity.major, "minor": identity.minor,
                "intervalMs": advertising.interval.milliseconds,
                "formats": formats.map(\.word).joined(separator: ","),
            ])
    }

    /// Stores the radio's properties.
    mutating func identify(_ radio: LiveRadio?) {
        state.family = radio?.family
        let address = radio?.ownAddress
        if let address, address.isRandom, address != state.address {
            log.info(
                "the controller has no usable public address: a random static one stands for it",
                ["address": address.text])
        }
        state.address = address
    }

    /// The radio is closed.
    ///
    /// - Parameter keepsAdvertising: whether the controller goes on advertising.
    mutating func closed(keepsAdvertising: Bool = false) {
        state.isReady = false
        if !keepsAdvertising { state.advertising = AdvertisingState() }
    }

    /// The agent closes a working radio to recover it.
    ///
    /// - Returns: the result for the pending request, if there is one.
    mutating func interrupted() -> ApplyResult? { finishPending(.postponed) }

    /// The radio has failed. A fault of the controller refuses the pending request; other faults postpone it.
    mutating func failed(_ failure: RadioFailure) -> ApplyResult? {
        state.failure = failure.description
        return finishPending(
            failure.isRecoverable
                ? .refused(
                    AdvertisingRefusal(
                        opcode: nil, status: nil, concernsInterval: false,
                        sentence: failure.sentence))
                : .postponed)
    }

    private mutating func finishPending(_ outcome: ApplyResult.Outcome) -> ApplyResult? {
        defer { pending = nil }
        return pending.map { ApplyResult(id: $0.id, outcome: outcome) }
    }
}

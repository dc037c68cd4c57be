import Beacons
import Contract
import HCI
import Posix
import Primitives
import Radio

/// What a supervisor's radio does.
enum RadioPhase {
    case closed(retryAt: Instant)
    /// The adapter goes down and up; the supervisor opens it afterwards.
    case powerCycling(any PowerCycle)
    case open(LiveRadio)

    /// The time that a power cycle may delay the agent's exit.
    private static let powerCycleTimeout: Duration = .seconds(5)

    var radio: LiveRadio? {
        if case .open(let radio) = self { radio } else { nil }
    }

    /// The descriptors that become readable when there is something to do.
    var descriptors: [CInt] {
        switch self {
        case .closed: []
        case .powerCycling(let cycle): cycle.descriptor.map { [$0] } ?? []
        case .open(let radio): radio.descriptors
        }
    }

    /// When there is something to do, even without input.
    var deadline: Instant? {
        switch self {
        case .closed(let retryAt): retryAt
        case .powerCycling: nil
        case .open(let radio): radio.deadline
        }
    }

    /// Stops the radio. Waits for a power cycle: the adapter must not stay down.
    func finish(keepingAdvertising: Bool) {
        switch self {
        case .closed: break
        case .open(let radio): radio.stop(keepingAdvertising: keepingAdvertising)
        case .powerCycling(let cycle):
            guard let descriptor = cycle.descriptor else { return }
            let timeout = Int(Self.powerCycleTimeout.milliseconds)
            _ = try? Poll.wait(for: [Poll.Interest(descriptor)], timeout: timeout)
        }
    }
}

/// Measures how long the radio has been faulty. A shorter time of work than `confirmation` does not end a fault.
struct FaultTimer {
    private static let confirmation: Duration = .seconds(30)

    /// `nil` for no limit.
    private let limit: Duration?
    private var since: Instant?
    private var worksSince: Instant?
    /// Whether a fault has lasted for the limit.
    private(set) var isOver = false

    init(limit: Duration?) { self.limit = limit }

    /// When a fault reaches the limit; `nil` without a fault.
    var deadline: Instant? {
        guard let limit, let since, worksSince == nil, !isOver else { return nil }
        return since + limit
    }

    mutating func on(isFaulty: Bool, at now: Instant) {
        if isFaulty {
            since = since ?? now
            worksSince = nil
            if let deadline, deadline <= now { isOver = true }
        } else if since != nil {
            let start = worksSince ?? now
            worksSince = start
            if now - start >= Self.confirmation { (since, worksSince) = (nil, nil) }
        }
    }
}

/// The controller's state, as the radio process reports it.
package struct ControllerState: Equatable, Sendable {
    /// Whether the controller accepts requests.
    package var isReady = false
    /// The adapter's address, or the random one in its place.
    package var address: DeviceAddress?
    package var family: CommandFamily?
    package var advertising = AdvertisingState()
    /// Why the controller does not advertise the settings in force.
    package var failure: String?

    package init() {}

    /// The form of `config/reported`.
    package var reported: ReportedMessage.Radio {
        ReportedMessage.Radio(
            address: address?.text, advertising: advertising.advertising != nil,
            intervalMs: advertising.advertising.map { $0.interval.milliseconds },
            txPowerDbm: advertising.txPowerDbm.map { Int($0) }, commands: family?.rawValue)
    }
}

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

import HCI
import Primitives

/// A simulated controller's present misbehaviour.
struct MisbehaviourState: Sendable {
    private struct Refused {
        let status: HCIStatus
        /// `nil`: for ever.
        var times: Int?
    }

    /// `nil` before the first one.
    private var stalledUntil: Instant?
    private var silentUntil: Instant?
    private var isSilentUntilReset = false
    private var refused: [Opcode: Refused] = [:]

    init() {}

    mutating func begin(_ kind: Misbehaviour.Kind, at time: Instant) {
        switch kind {
        case .stall(let duration): stalledUntil = time + duration
        case .silent(let duration):
            silentUntil = duration.map { time + $0 }
            isSilentUntilReset = duration == nil
        case .refuse(let opcode, let status, let times):
            refused[opcode] = Refused(status: status, times: times)
        case .hardwareError, .close: break
        }
    }

    func isStalled(at time: Instant) -> Bool { stalledUntil.map { time < $0 } ?? false }

    /// Whether nothing is reported, stalled or silent.
    func isMute(at time: Instant) -> Bool {
        isSilentUntilReset || isStalled(at: time) || silentUntil.map { time < $0 } ?? false
    }

    /// A reset cures a silence that has no end of its own.
    mutating func reset() { isSilentUntilReset = false }

    /// The status to refuse the command with; `nil` when it is to be carried out.
    mutating func refusal(of opcode: Opcode) -> HCIStatus? {
        guard var entry = refused[opcode] else { return nil }
        guard let times = entry.times else { return entry.status }
        guard times > 0 else {
            refused[opcode] = nil
            return nil
        }
        entry.times = times - 1
        refused[opcode] = entry
        return entry.status
    }
}

import HCI

/// A simulated controller's present misbehaviour.
struct MisbehaviourState: Sendable {
    private struct Refused {
        let status: Status
        /// `nil`: for ever.
        var times: Int?
    }

    private var stalledUntil = Int64.min
    private var silentUntil = Int64.min
    private var refused: [Opcode: Refused] = [:]

    init() {}

    mutating func begin(_ kind: Misbehaviour.Kind, at time: Int64) {
        switch kind {
        case .stall(let duration): stalledUntil = Self.end(time, duration)
        case .silent(let duration): silentUntil = duration.map { Self.end(time, $0) } ?? .max
        case .refuse(let opcode, let status, let times):
            refused[opcode] = Refused(status: status, times: times)
        case .hardwareError, .close: break
        }
    }

    func isStalled(at time: Int64) -> Bool { time < stalledUntil }

    /// Whether nothing is reported, stalled or silent.
    func isMute(at time: Int64) -> Bool { time < max(stalledUntil, silentUntil) }

    /// A reset cures a silence that has no end of its own.
    mutating func reset() { if silentUntil == .max { silentUntil = .min } }

    /// The status to refuse the command with; `nil` when it is to be carried out.
    mutating func refusal(of opcode: Opcode) -> Status? {
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

    private static func end(_ time: Int64, _ duration: Int64) -> Int64 {
        let (end, overflow) = time.addingReportingOverflow(max(0, duration))
        return overflow ? .max - 1 : end
    }
}

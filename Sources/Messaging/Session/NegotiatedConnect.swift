import MQTT
import Primitives

/// Why a broker may not support MQTT 5.
package enum VersionDoubt: String, Equatable, Sendable, CustomStringConvertible {
    case refused = "the broker refuses MQTT 5"
    case closed = "the broker closed the connection without an answer"
    case silent = "the broker does not answer CONNECT"

    package var description: String { rawValue }

    /// `nil` if the version is not the cause of a failed attempt.
    fileprivate init?(_ cause: ConnectionFailure.Cause) {
        switch cause {
        // libmosquitto 2.0.21 can't read the refusal of a broker that speaks only 3.1.1.
        case .refused(.unsupportedProtocolVersion), .protocolViolation: self = .refused
        case .closedUnanswered: self = .closed
        case .connectUnanswered: self = .silent
        default: return nil
        }
    }
}

/// What the next CONNECT to one broker has, chosen by the results so far: the protocol version, and whether a will.
///
/// With the choice `automatic`, a broker gets MQTT 5 until it refuses it, or leaves several CONNECTs in a row unanswered. Then
/// it gets 3.1.1, and if it closes the connection again, CONNECTs without a will. The accepted version, and a
/// refusal of MQTT 5, count for a day.
struct NegotiatedConnect: Sendable {
    struct Form: Equatable {
        var version: ProtocolVersion
        var hasWill: Bool
    }

    /// What the broker supports.
    private struct Knowledge {
        let version: ProtocolVersion
        let end: Instant

        init(_ version: ProtocolVersion, at now: Instant) {
            self.version = version
            end = now + NegotiatedConnect.memory
        }
    }

    /// For the next attempt.
    private(set) var form: Form
    /// Why the latest attempt failed, if that is a step of the choice, and no failure of the broker.
    private(set) var doubt: VersionDoubt?
    private let choice: Reconnect.Choice
    /// Whether the program has a will.
    private let hasWill: Bool
    /// The unanswered attempts in a row after which the other forms are tried.
    private let patience: Int
    private var knowledge: Knowledge?
    /// Until when the broker gets no will, because it accepted a connection only without.
    private var willRefusal: Instant?
    /// The forms to try without a wait; `nil` while the usual one is tried.
    private var untried: ArraySlice<Form>?
    private var unanswered = 0
    /// Whether the broker has failed with all forms since its last connection.
    private var isFutile = false

    private static let memory = Duration.seconds(86400)
    /// The time for CONNACK while it is not known which version the broker supports.
    private static let answerLimit = Duration.seconds(4)

    init(_ choice: Reconnect.Choice, patience: Int, hasWill: Bool) {
        self.choice = choice
        self.patience = patience
        self.hasWill = hasWill
        form = Form(version: choice.version ?? .v5, hasWill: hasWill)
    }

    /// Takes over what another configuration has found out about the same broker.
    mutating func inherit(from other: NegotiatedConnect, at now: Instant) {
        if choice == .automatic, other.choice == .automatic { knowledge = other.knowledge }
        willRefusal = other.willRefusal
        form = usual(at: now)
    }

    /// The time for CONNACK in the next attempt; `nil` for that of the settings.
    func answerLimit(at now: Instant) -> Duration? {
        let isUnknown = choice == .automatic && form.version == .v5 && known(at: now) == nil
        return isUnknown ? Self.answerLimit : nil
    }

    /// The broker accepts the connection.
    mutating func connected(at now: Instant) {
        isFutile = false
        // A broker that supports both versions may have been silent for another reason.
        if form.version == .v5 || known(at: now) == nil {
            knowledge = Knowledge(form.version, at: now)
        }
        if hasWill, !form.hasWill, willRefusal == nil { willRefusal = now + Self.memory }
    }

    /// The connection ends, or an attempt fails.
    ///
    /// - Returns: whether an attempt of another form follows without a wait.
    mutating func ended(
        _ cause: ConnectionFailure.Cause, wasConnected: Bool, at now: Instant
    ) -> Bool {
        doubt = nil
        if wasConnected, form.version == .v5 { knowledge = Knowledge(.v5, at: now) }
        if let end = willRefusal, end <= now { willRefusal = nil }
        guard !wasConnected, let reason = VersionDoubt(cause) else {
            begin(at: now)
            return false
        }
        let isUndecided = choice == .automatic && !isFutile
        if isUndecided, reason == .refused ? form.version == .v5 : known(at: now) == nil {
            doubt = reason
        }
        if reason != .refused { return leftUnanswered(reason, at: now) }
        return choice == .automatic && refused(at: now)
    }

    /// The next attempt has the usual form.
    private mutating func begin(at now: Instant) {
        unanswered = 0
        untried = nil
        form = usual(at: now)
    }

    private mutating func refused(at now: Instant) -> Bool {
        let isOlder = form.version == .v5
        isFutile = isFutile || !isOlder
        // If the broker refuses both, the version is not the cause, or another broker has this address now.
        knowledge = isOlder ? Knowledge(.v311, at: now) : nil
        begin(at: now)
        return isOlder
    }

    private mutating func leftUnanswered(_ reason: VersionDoubt, at now: Instant) -> Bool {
        unanswered += 1
        guard unanswered >= patience else { return false }
        // Directly one after the other: a broker that returns during a wait gets the usual form.
        var others = untried ?? alternatives(to: form, reason)[...]
        guard let next = others.popFirst() else {
            isFutile = true
            doubt = nil
            begin(at: now)
            return false
        }
        untried = others
        form = next
        return true
    }

    private func alternatives(to form: Form, _ reason: VersionDoubt) -> [Form] {
        var versions = [form.version]
        if choice == .automatic { versions.append(form.version == .v5 ? .v311 : .v5) }
        // A broker has no reason to be silent about a will.
        let wills = form.hasWill && reason == .closed ? [true, false] : [form.hasWill]
        let all = wills.flatMap { hasWill in
            versions.map { Form(version: $0, hasWill: hasWill) }
        }
        return Array(all.dropFirst())
    }

    private func known(at now: Instant) -> ProtocolVersion? {
        knowledge.flatMap { now < $0.end ? $0.version : nil }
    }

    /// The form of an attempt that no failure precedes.
    private func usual(at now: Instant) -> Form {
        Form(
            version: choice.version ?? known(at: now) ?? .v5,
            hasWill: hasWill && willRefusal.map { $0 <= now } ?? true)
    }
}

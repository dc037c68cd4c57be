import Contract
import Primitives
import Subscriber

/// The result of a rollout on one gateway.
struct GatewayResult: Equatable {
    enum Verdict: String {
        case applied
        /// A document is invalid, or conflicts with another one.
        case rejected
        /// The controller refused a command.
        case refused
        /// A later document of another client is in force or published.
        case overtaken
        /// It is not connected: it applies the documents when it returns.
        case offline
        /// No answer.
        case silent
    }

    var verdict: Verdict
    /// Whether the gateway has answered. Before that, `verdict` is preliminary.
    var isFinal: Bool
    /// Why the documents are not applied: sentences without a full stop.
    var reasons: [String] = []
    /// Further observations: sentences without a full stop.
    var remarks: [String] = []
    var isOffline = false

    /// Whether verdict and reasons are equal.
    func isSameAnswer(as other: GatewayResult?) -> Bool {
        verdict == other?.verdict && reasons == other?.reasons
    }

    /// - Parameters:
    ///   - expected: the expected version of each layer; the value `nil` stands for no document.
    ///   - digests: of the expected documents.
    ///   - restarted: the layers whose versions begin again: an old report with a later version is no answer.
    init(
        of gateway: Roster.Gateway, expecting expected: [Topics.Layer: Int64?],
        digests: LayerDigests = LayerDigests(), restarted: Set<Topics.Layer> = []
    ) {
        isOffline = gateway.isOffline
        guard let report = gateway.report else {
            verdict = .silent
            isFinal = false
            remarks = [gateway.fault].compactMap(\.self)
            return
        }
        let isInForce = { (layer: Topics.Layer, version: Int64?) in
            report.versions[layer] == version && !report.differs(from: digests, layer)
        }
        let isOurs: (LayerFault) -> Bool = { fault in
            guard let layer = fault.layer, let version = fault.version,
                (expected[layer] ?? nil) == version
            else { return false }
            // With our document in force, the conflicting one is another client's.
            return fault.fault.code != .conflictingVersion || !isInForce(layer, version)
        }
        let own = report.faults.filter(isOurs)
        let others = report.faults.filter { !isOurs($0) }
        var outrun: [String] = []
        var isWaiting = false
        var isUnverified = false
        for (layer, version) in expected.sorted(by: { $0.key.rank < $1.key.rank }) {
            let inForce = report.versions[layer]
            if own.contains(where: { $0.layer == layer }) { continue }
            if isInForce(layer, version) {
                isUnverified = isUnverified || digests[layer] != nil && report.digests[layer] == nil
            } else if inForce == version {
                outrun.append(
                    "another version \(inForce ?? 0) of the \(layer.rawValue)'s document is in force;"
                        + " tune again")
            } else if let inForce, inForce > version ?? .max,
                !(restarted.contains(layer) && gateway.isReportOld)
            {
                outrun.append(
                    "version \(inForce) of the \(layer.rawValue)'s document is in force, later than"
                        + " \(version ?? 0); tune again")
            } else {
                isWaiting = true
            }
        }
        let isRefusal = own.contains { $0.fault.code == .controllerRefused }
        // Two layers can have the same fault of the radio.
        let ownSentences = own.map(\.sentence).unrepeated
        let otherSentences =
            others
            .filter { !ownSentences.contains($0.sentence) }
            .unrepeated(by: \.sentence).map(\.sentenceWithLayer)
        remarks = otherSentences.map { "note: \($0)" }
        if !own.isEmpty || !outrun.isEmpty {
            verdict = isRefusal ? .refused : own.isEmpty ? .overtaken : .rejected
            // A missing document of another layer can still resolve the conflict.
            isFinal = !isWaiting
            reasons = ownSentences + outrun
        } else if isWaiting {
            isFinal = false
            let hasAnswered = !gateway.isReportOld && report.status != .applied && !others.isEmpty
            verdict = hasAnswered ? (report.status == .refused ? .refused : .rejected) : .silent
            if hasAnswered {
                reasons = otherSentences
                remarks = []
            }
        } else {
            verdict = .applied
            isFinal = true
            if let silence = report.silenceOnAir(hasAdvertised: gateway.hasAdvertised) {
                remarks.insert(silence, at: 0)
            } else if report.isOffAir {
                remarks.insert("an identity is in force, but it is not on the air", at: 0)
            }
            if isUnverified {
                remarks.insert("its agent reports no digests: the content is not compared", at: 0)
            }
            if !report.isPersisted {
                remarks.insert("not saved on its disk: lost after a restart", at: 0)
            }
        }
        if gateway.isDegraded {
            remarks.append("degraded: its radio is deaf, or not as configured")
        }
        if let fault = gateway.fault { remarks.append(fault) }
    }
}

extension LayerFault {
    /// The place and the reason, printable.
    fileprivate var sentence: String {
        let place = fault.pointer.description
        return ((place.isEmpty ? "" : "\(place): ") + fault.message).printable(limit: 700)
    }

    /// The same, with the document's layer.
    fileprivate var sentenceWithLayer: String {
        let owner = layer.map { "\($0.rawValue) layer" } ?? "local file"
        return "\(owner)\(version.map { ", version \($0)" } ?? ""): \(sentence)"
    }
}

extension GatewayReport {
    /// Whether another document than the expected one is in force. Old agents report no digest.
    fileprivate func differs(from expected: LayerDigests, _ layer: Topics.Layer) -> Bool {
        guard let own = digests[layer], let expected = expected[layer] else { return false }
        return own != expected
    }

    /// A remark if the gateway stopped advertising, with the reason.
    fileprivate func silenceOnAir(hasAdvertised: Bool) -> String? {
        guard hasAdvertised, !isAdvertising else { return nil }
        let sentence = "it no longer advertises"
        if isOffAir { return "\(sentence), though an identity is in force" }
        guard let last = missing.last else { return sentence }
        let others = missing.dropLast().joined(separator: ", ")
        return others.isEmpty
            ? "\(sentence): \(last) is missing"
            : "\(sentence): \(others) and \(last) are missing"
    }
}

extension Sequence {
    /// The first element of each key.
    fileprivate func unrepeated<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var keys: Set<Key> = []
        return filter { keys.insert(key($0)).inserted }
    }
}

extension Sequence where Element: Hashable {
    fileprivate var unrepeated: [Element] { unrepeated { $0 } }
}

extension Topics.Layer {
    /// The fleet first.
    fileprivate var rank: Int { self == .fleet ? 0 : self == .site ? 1 : 2 }
}

/// The results of all gateways that a rollout concerns.
struct GatewayResults {
    private(set) var latest: [GatewayName: GatewayResult] = [:]
    /// The number of gateways without a final result.
    private(set) var pending = 0
    private var announced: [GatewayName: GatewayResult] = [:]

    /// Replaces a gateway's result; returns `true` if the new one is final and differs from the announced one.
    mutating func update(_ name: GatewayName, to result: GatewayResult?) -> Bool {
        let before = latest[name]
        latest[name] = result
        pending += (result?.isFinal == false ? 1 : 0) - (before?.isFinal == false ? 1 : 0)
        // A change of `isOffline` or of the remarks is not announced.
        guard let result, result.isFinal, !result.isSameAnswer(as: announced[name]) else {
            return false
        }
        announced[name] = result
        return true
    }
}

import Contract
import Primitives
import Subscriber

/// What a gateway made of the documents that concern it.
struct Judgement: Equatable {
    enum Verdict: String {
        case applied
        /// A document is wrong, or wrong together with the others.
        case rejected
        /// The controller said no.
        case refused
        /// Somebody else's document is in force, or published, that is later than ours.
        case overtaken
        /// No answer.
        case silent
    }

    var verdict: Verdict
    /// Nothing more is expected; until then the verdict is what it would be if nothing more came.
    var isFinal: Bool
    /// Why not applied: a sentence each, without a full stop.
    var reasons: [String] = []
    /// What else should be known.
    var remarks: [String] = []
    var isOffline = false

    /// The same answer, for the same reasons.
    func saysTheSame(as other: Judgement?) -> Bool {
        verdict == other?.verdict && reasons == other?.reasons
    }

    /// - Parameter expected: the version of each layer that should be in force; `nil` in it for no document.
    init(of gateway: Roster.Gateway, expecting expected: [Topics.Layer: Int64?]) {
        isOffline = gateway.isOffline
        guard let report = gateway.report else {
            verdict = .silent
            isFinal = false
            remarks = [gateway.objection].compactMap(\.self)
            return
        }
        let isOurs: (LayerFault) -> Bool = { fault in
            guard let layer = fault.layer, let version = fault.version else { return false }
            return (expected[layer] ?? nil) == version
        }
        let own = report.faults.filter(isOurs)
        let others = report.faults.filter { !isOurs($0) }
        var outrun: [String] = []
        var isWaiting = false
        for (layer, version) in expected.sorted(by: { $0.key.rank < $1.key.rank }) {
            let inForce = report.versions[layer]
            if inForce == version || own.contains(where: { $0.layer == layer }) { continue }
            if let inForce, inForce > version ?? .max {
                outrun.append(
                    "version \(inForce) of the \(layer.rawValue)'s document is in force, later than"
                        + " \(version ?? 0); tune again")
            } else {
                isWaiting = true
            }
        }
        let isRefusal = own.contains { $0.fault.code == .controllerRefused }
        // Two layers may wait for the same radio.
        let ownSentences = own.map(\.sentence).unrepeated
        let otherSentences =
            others
            .filter { !ownSentences.contains($0.sentence) }
            .unrepeated(by: \.sentence).map(\.sentenceWithLayer)
        remarks = otherSentences.map { "note: \($0)" }
        if !own.isEmpty || !outrun.isEmpty {
            verdict = isRefusal ? .refused : own.isEmpty ? .overtaken : .rejected
            // As long as another layer's document is awaited, it may yet make sense of this one.
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
            if !report.isPersisted {
                remarks.insert("not kept on its disk: a restart forgets it", at: 0)
            }
        }
        if let objection = gateway.objection { remarks.append(objection) }
    }
}

extension LayerFault {
    /// Where it is wrong and how, fit for a terminal.
    fileprivate var sentence: String {
        let place = fault.pointer.description
        return ((place.isEmpty ? "" : "\(place): ") + fault.message).printable(limit: 700)
    }

    /// The same, with whose document it is.
    fileprivate var sentenceWithLayer: String {
        let owner = layer.map { "\($0.rawValue) layer" } ?? "local file"
        return "\(owner)\(version.map { ", version \($0)" } ?? ""): \(sentence)"
    }
}

extension GatewayReport {
    /// That it advertises no more, and why, if it is so.
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
    /// The first of those that have the same key.
    fileprivate func unrepeated<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var keys: Set<Key> = []
        return filter { keys.insert(key($0)).inserted }
    }
}

extension Sequence where Element: Hashable {
    fileprivate var unrepeated: [Element] { unrepeated { $0 } }
}

extension Topics.Layer {
    /// The widest first.
    fileprivate var rank: Int { self == .fleet ? 0 : self == .site ? 1 : 2 }
}

import Messages

/// What a gateway made of the documents that concern it.
struct Judgement: Equatable {
    enum Verdict: String {
        case applied
        /// A document is wrong, or wrong together with the others.
        case rejected
        /// The controller said no.
        case refused
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
        remarks = others.map { "note: \($0.sentence(withLayer: true))" }
        if !own.isEmpty || !outrun.isEmpty {
            verdict = isRefusal ? .refused : .rejected
            // As long as another layer's document is awaited, it may yet make sense of this one.
            isFinal = !isWaiting
            reasons = own.map { $0.sentence(withLayer: false) } + outrun
        } else if isWaiting {
            isFinal = false
            let hasAnswered = !gateway.isReportOld && report.status != .applied && !others.isEmpty
            verdict = hasAnswered ? (report.status == .refused ? .refused : .rejected) : .silent
            if hasAnswered {
                reasons = others.map { $0.sentence(withLayer: true) }
                remarks = []
            }
        } else {
            verdict = .applied
            isFinal = true
            if report.isOffAir {
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
    fileprivate func sentence(withLayer: Bool) -> String {
        let place = fault.pointer.description
        let prefix =
            withLayer
            ? [layer?.rawValue ?? "local file", version.map { " \($0)" } ?? "", ": "] : []
        return
            (prefix.joined() + (place.isEmpty ? "" : "\(place): ") + fault.message)
            .printable(limit: 700)
    }
}

extension Topics.Layer {
    /// The widest first.
    fileprivate var rank: Int { self == .fleet ? 0 : self == .site ? 1 : 2 }
}

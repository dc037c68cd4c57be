import Contract
import Primitives
import Subscriber

extension Campaign {
    /// The versions that a gateway should have in force, of the layers that are tuned.
    func expectation(of gateway: GatewayName) -> [Topics.Layer: Int64?] {
        let names = [
            LayerName(), LayerName(site: gateway.site), LayerName(gateway),
        ]
        var expected: [Topics.Layer: Int64?] = [:]
        for name in names {
            if let edition = editions?[name] {
                expected.updateValue(edition.version, forKey: name.layer)
            }
        }
        return expected
    }

    /// Judges a gateway anew, if any of the documents concerns it.
    mutating func judge(_ name: GatewayName) {
        guard editions != nil, !order.isDryRun else { return }
        let expected = expectation(of: name)
        guard !expected.isEmpty else { return }
        let before = judgements[name]
        let now = roster.gateways[name].map { Judgement(of: $0, expecting: expected) }
        judgements[name] = now
        unanswered += (now?.isFinal == false ? 1 : 0) - (before?.isFinal == false ? 1 : 0)
        // Whether it is away meanwhile, and what else there is to note, is no other answer.
        guard let now, now.isFinal, !now.saysTheSame(as: told[name]) else { return }
        told[name] = now
        tell(.judged(name, now))
    }

    /// What is said of a gateway at the end, when nothing more is waited for.
    func closing(_ name: GatewayName, _ judgement: Judgement) -> Judgement {
        guard let editions, judgement.verdict == .silent else { return judgement }
        let own = [LayerName(), LayerName(site: name.site), LayerName(name)]
            .compactMap { editions[$0] }
        var closing = judgement
        if let (edition, version) = own.lazy.compactMap({ edition in
            overtaken[edition.name].map { (edition, $0) }
        }).first {
            closing.verdict = .overtaken
            let layer = edition.name.layer.rawValue
            closing.reasons = ["by version \(version) of the \(layer)'s document"]
        } else if judgement.isOffline, own.allSatisfy({ $0.bytes == nil || isPublished($0) }) {
            closing.reasons = [
                order.isRemoving
                    ? "it keeps the layer, for it did not see the removal"
                    : "it takes this when it is back"
            ]
        }
        return closing
    }

    /// The broker has said, or shown, that it has it.
    func isPublished(_ edition: Edition) -> Bool {
        acknowledged.contains(edition.name) || echoed.contains(edition.name)
    }

    /// Ends it when every document is with the broker, and every gateway has answered.
    mutating func endIfDone() {
        guard exit == nil, let editions, !isGathering, !judgements.isEmpty, unanswered == 0,
            editions.values.allSatisfy({ $0.bytes == nil || acknowledged.contains($0.name) })
        else { return }
        noteOverflow()
        let areApplied = judgements.values.allSatisfy { $0.verdict == .applied }
        end(areApplied && !roster.isFull ? .done : .failed)
    }

    /// Time is up: what has not come is said.
    mutating func giveUp() {
        let open = changes.filter { !acknowledged.contains($0.name) }
        if let first = open.first {
            let others = open.count > 1 ? ", and \(count(open.count - 1, "more document"))" : ""
            tell(
                .note(
                    "the broker has not acknowledged \(first.description(root: order.root))"
                        + others))
        }
        if let hidden = changes.first(where: {
            acknowledged.contains($0.name) && !echoed.contains($0.name)
        }) {
            tell(
                .note(
                    "the broker took \(hidden.description(root: order.root)), but never showed it"
                        + " to us; check what it allows this user to publish and to read"))
        }
        if judgements.isEmpty {
            tell(
                .note(
                    "no gateway is known \(order.wishes.count == 1 ? "under \(order.wishes[0].name)" : "under the plan's sites")"
                ))
        }
        noteOverflow()
        end(.failed)
    }

    private mutating func noteOverflow() {
        guard roster.isFull else { return }
        let most = Roster.mostGateways.grouped
        tell(.note("there are more than \(most) gateways; what the others did is not known"))
    }
}

import Messages

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
        if let now, now.isFinal, now != before { tell(.judged(name, now)) }
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
                    "the broker has not acknowledged version \(first.version ?? 0) of"
                        + " \(first.name.topic(root: order.root))\(others)"))
        }
        if let hidden = changes.first(where: {
            acknowledged.contains($0.name) && !echoed.contains($0.name)
        }) {
            tell(
                .note(
                    "the broker took version \(hidden.version ?? 0) of"
                        + " \(hidden.name.topic(root: order.root)), but never showed it to us; check"
                        + " what it allows this user to publish and to read"))
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

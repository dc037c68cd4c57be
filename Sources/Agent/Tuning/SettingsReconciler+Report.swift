import Contract
import JSON
import Radio

extension SettingsReconciler {
    /// What is in force, and why what was asked is not; said from now on, unless something changes.
    package mutating func takeReport(session: String) -> ReportedMessage {
        hasNews = false
        let errors = self.errors
        let isRefused = errors.contains { $0.fault.code == .controllerRefused }
        return ReportedMessage(
            session: session, versions: inForce.layers.versions,
            status: isRefused ? .refused : errors.isEmpty ? .applied : .rejected,
            errors: errors, effective: settings.json, radio: standing.reported,
            isPersisted: isPersisted)
    }

    private var errors: [LayerFault] {
        var errors = LayerStack.places.flatMap { faults[$0] ?? [] }
        for wish in held {
            errors += wish.faults.map {
                LayerFault(layer: wish.layer, version: wish.version, fault: $0)
            }
        }
        guard let trouble = standing.trouble else { return errors }
        let place = JSONPointer.root.appending("advertise")
        if standing.isReady {
            // In force, but not on the air.
            let layer = Topics.Layer.allCases.last { inForce[$0]?.patch["advertise"] != nil }
            errors.append(
                LayerFault(
                    layer: layer, version: layer.flatMap { inForce.layers[$0]?.version },
                    fault: Fault(place, .controllerRefused, trouble)))
        } else {
            let sentence = "\(trouble); tried again when the radio is back"
            errors += accepted.differences(from: inForce).map {
                LayerFault(
                    layer: $0, version: $0.flatMap { accepted.layers[$0]?.version },
                    fault: Fault(place, .controllerRefused, sentence))
            }
        }
        return errors
    }
}

extension Array {
    /// The groups of so many elements, in the order in which these stand.
    func combinations(of size: Int) -> [[Element]] {
        guard size > 0 else { return [[]] }
        return indices.flatMap { index in
            Array(self[(index + 1)...]).combinations(of: size - 1).map { [self[index]] + $0 }
        }
    }
}

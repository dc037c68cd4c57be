import Contract
import Primitives
import Subscriber
import Terminal

extension DocumentRevision.Failure {
    var exitCode: ExitCode {
        if case .faults = self { .wrongUse } else { .failed }
    }

    /// One sentence for each fault.
    func sentences(topic: String, _ known: KnownVersions) -> [String] {
        let remedy = "its settings would be lost; use --replace to publish a complete document"
        switch self {
        case .unreadable(let fault):
            return [
                "the document of \(topic) can't be read: \(fault.printable(limit: 300));"
                    + " --replace starts with an empty document"
            ]
        case .faults(let faults):
            return faults.map { fault in
                let place = fault.pointer.description.printable(limit: 200)
                return "\(topic): "
                    + (place.isEmpty ? "" : "\(place): ") + fault.message.printable(limit: 400)
            }
        case .outdated(let version, let base):
            let reports = known.ahead.isEmpty ? known.implausible : known.ahead
            let document = base.map { "only version \($0)" } ?? "no document"
            return [
                "\(reports.named("knows", "know")) version \(version) of \(topic), but the broker"
                    + " has \(document): \(remedy)"
            ] + known.suspicion
        case .conflicting(let version):
            return [
                "\(known.conflicting.named("has", "have")) another version \(version) of \(topic)"
                    + " in force than the broker: \(remedy)"
            ] + known.suspicion
        case .noVersionLeft:
            return [
                "no version is left for \(topic): \(LayerDocument.versions.upperBound) is the last"
                    + " possible one; use --reset-versions"
            ]
        }
    }
}

extension KnownVersions {
    /// A sentence about a gateway that alone disagrees with the broker; empty for none.
    fileprivate var suspicion: [String] {
        guard let dissenter else { return [] }
        return [
            "only \(dissenter) of \(reporting) gateways disagrees with the broker and may be compromised: if it is,"
                + " run 'provision --revoke \(dissenter)', empty its retained config/reported, and run tune again"
        ]
    }

    /// A sentence about the versions that do not count; `nil` for none.
    func notice(topic: String, base: RetainedDocument?) -> String? {
        guard let version = implausible.map(\.version).max() else { return nil }
        let document = base?.version.map { "version \($0)" } ?? "no document"
        return
            "ignored: \(implausible.named("reports", "report")) version \(version) of \(topic), at"
            + " least \(LayerDocument.largestVersionStep.grouped) above the broker (\(document))"
    }
}

extension [KnownVersions.Report] {
    /// The gateways' names and the verb: `a/x knows`, `a/x, a/y know`.
    fileprivate func named(_ singular: String, _ plural: String) -> String {
        "\(map(\.gateway.description).firstFew) \(count == 1 ? singular : plural)"
    }
}

import CommandSupport
import Contract
import Primitives
import Subscriber

extension DocumentRevision.Failure {
    var exitCode: ExitCode {
        if case .faults = self { .wrongUse } else { .failed }
    }

    /// One sentence for each fault.
    func sentences(topic: String, _ gateway: GatewayName?) -> [String] {
        switch self {
        case .unreadable(let objection):
            [
                "the document of \(topic) can't be read: \(objection.printable(limit: 300));"
                    + " --replace starts with an empty document"
            ]
        case .faults(let faults):
            faults.map { fault in
                let place = fault.pointer.description.printable(limit: 200)
                return "\(topic): "
                    + (place.isEmpty ? "" : "\(place): ") + fault.message.printable(limit: 400)
            }
        case .lost(let version):
            [
                "\(gateway.map { "\($0) knows" } ?? "gateways know") version \(version) of \(topic),"
                    + " but the broker has no document: its settings would be lost; use --replace to"
                    + " publish a complete document"
            ]
        case .noVersionLeft:
            [
                "no version is left for \(topic):"
                    + " \(gateway.map { "\($0) reports" } ?? "the document has")"
                    + " \(LayerDocument.versions.upperBound), the last possible version"
            ]
        }
    }
}

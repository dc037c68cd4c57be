import CommandSupport
import Contract
import Primitives
import Subscriber

extension Edition.Flaw {
    var exitCode: ExitCode {
        if case .faults = self { .wrongUse } else { .failed }
    }

    /// A sentence for each thing that is wrong.
    func sentences(topic: String, _ gateway: GatewayName?) -> [String] {
        switch self {
        case .unreadable(let objection):
            [
                "the document of \(topic) can't be read: \(objection.printable(limit: 300));"
                    + " --replace begins with an empty one"
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
                    + " but the broker shows none: what it set would be lost; publish all of it"
                    + " with --replace"
            ]
        case .noVersionLeft:
            [
                "no version is left for \(topic):"
                    + " \(gateway.map { "\($0) reports" } ?? "the document has")"
                    + " \(LayerDocument.versions.upperBound), the last there is"
            ]
        }
    }
}

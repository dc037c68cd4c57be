import Contract
import Primitives

extension LayerFault {
    /// The layer, the place and the reason, printable.
    package var phrase: String {
        let owner = layer.map { "\($0.rawValue)\(version.map { " \($0)" } ?? "")" } ?? "local file"
        let place = fault.pointer.description
        let words = [owner, place, fault.message].filter { !$0.isEmpty }
        return words.joined(separator: ": ").printable(limit: 300)
    }
}

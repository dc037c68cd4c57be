import Primitives

extension Fault {
    /// The fault in a line for people: what a file says can't break it.
    package func line(of path: String) -> String {
        let place = pointer.description
        guard !place.isEmpty else { return "\(path): \(message)" }
        let isPlain = place.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f } && place.utf8.count <= 200
        return "\(path): \(isPlain ? place : place.quotedForPeople): \(message)"
    }
}

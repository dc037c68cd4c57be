/// The faults of messages that the log has. The broker sends retained messages again with each connection.
///
/// Each gateway and queue has a share of its own: a hostile one can't use up those of the others.
struct LoggedFaults {
    private var faults: [String: Set<[String]>] = [:]

    /// More faults of a place are only counted.
    static let mostOfPlace = 10
    private static let mostPlaces = 1000

    /// Takes a fault with its reason.
    ///
    /// - Parameter place: the gateway or queue.
    /// - Returns: `nil` if the log has it, or has enough; else whether it is the last one of its place.
    mutating func take(_ fault: String, _ reason: String, at place: String) -> Bool? {
        guard faults.count < Self.mostPlaces || faults[place] != nil,
            faults[place, default: []].count < Self.mostOfPlace,
            faults[place, default: []].insert([fault, reason]).inserted
        else { return nil }
        return faults[place]?.count == Self.mostOfPlace
    }
}

import Beacons
import JSON

/// Which beacons are wanted: the section `filter` of the local file and of the layers.
package struct FilterSettings: Equatable, Sendable {
    /// The organisations whose beacons are let through; empty for all.
    package var uuids: [ProximityUUID]

    /// The most organisations that a filter may name.
    package static let maxUUIDs = 64

    package init(uuids: [ProximityUUID] = []) { self.uuids = uuids }

    /// Reads the section's members.
    package init(from reader: inout ObjectReader) {
        uuids = reader.parsedArray("uuids", atMost: Self.maxUUIDs, expecting: "a UUID") {
            ProximityUUID($0)
        }
    }

    var json: JSON { .object([.init("uuids", .array(uuids.map { .string("\($0)") }))]) }
}

/// A place in a list of the layout. What belongs to it stands at the same place in other lists.
///
/// A type of its own for each list: a queue's place is no gateway's.
package protocol Place: Strideable, Hashable, Sendable where Stride == Int {
    init(_ number: Int)
    var number: Int { get }
}

/// The place of a gateway among those of its site.
package struct GatewayIndex: Place {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

/// The place of a queue among those of its site.
package struct QueueIndex: Place {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

/// The place of a till among those of its queue.
package struct TillIndex: Place {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

extension Place {
    /// The places of a list.
    package static func all<Element>(of list: [Element]) -> Range<Self> {
        Self(0)..<Self(list.count)
    }

    package func distance(to other: Self) -> Int { other.number - number }
    package func advanced(by count: Int) -> Self { Self(number + count) }
}

extension Array {
    package subscript(place: some Place) -> Element {
        get { self[place.number] }
        _modify { yield &self[place.number] }
    }
}

/// What a server has done since its start.
package struct HTTPCounters: Equatable, Sendable {
    /// The requests of one route.
    package struct Answers: Equatable, Sendable {
        /// Informational responses first, then success, and so on: `2` is at index 1.
        package fileprivate(set) var byClass: [UInt64] = [0, 0, 0, 0, 0]
    }

    /// The answers of each route, in the router's order; those without a route last.
    package private(set) var routes: [Answers]
    /// Present connections and streams.
    package internal(set) var clients = 0
    package internal(set) var streams = 0
    package internal(set) var connections: UInt64 = 0
    /// Bytes of bodies and streams, without headers.
    package internal(set) var bytes: UInt64 = 0
    package private(set) var refused: [Refusal: UInt64] = [:]

    init(routes: Int) { self.routes = Array(repeating: Answers(), count: routes + 1) }

    mutating func count(_ status: Status, of route: Int?) {
        let index = status.statusClass - 1
        guard (0..<5).contains(index) else { return }
        let place = route ?? routes.count - 1
        routes[place].byClass[index] &+= 1
    }

    mutating func count(_ refusal: Refusal) { refused[refusal, default: 0] &+= 1 }
}

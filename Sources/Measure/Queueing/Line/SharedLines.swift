import Facts

/// The lines of a site's queues. A person is in one of them at a time.
///
/// Queues may have gateways in common, such as one entry. A person in one line is then near the other one as well, and the
/// decoder of each queue proposes a stay. Of stays of one tag at the same time, the strongest one counts: a visit before a
/// passage, then the one that adds the most to the best sequence over all lines. Of equal ones, the queue with the first
/// name counts.
struct SharedLines {
    private var orders: [LineOrder]
    /// Of the queues.
    private let names: [String]
    /// A sum of real numbers depends on their order.
    private let byName: [QueueIndex]

    /// - Parameter tills: of each queue.
    init(_ roles: [QueueRoles], _ tills: [ParallelTills], _ mode: ShoppingMode = .direct) {
        orders = tills.map { LineOrder($0, mode) }
        names = roles.map(\.name)
        byName = roles.byName
    }

    subscript(queue: QueueIndex) -> LineOrder {
        get { orders[queue] }
        set { orders[queue] = newValue }
    }

    /// Adds a stay that no stay in another line excludes, and removes the weaker ones in other lines.
    mutating func add(_ stay: LineStay, of tag: Tag, queue: QueueIndex) {
        let rivals = others(queue)
        guard !rivals.contains(where: { excludes(stay, of: tag, queue, by: $0) }) else {
            for other in rivals { orders[other].weaken(by: stay, of: tag) }
            return
        }
        var stay = stay
        for other in rivals { stay.elsewhere += orders[other].remove(stay, of: tag) }
        orders[queue].add(stay, of: tag)
    }

    /// A tag at each queue at present, without the stays that other lines exclude: it is in the most probable line.
    func exclusive(_ tracks: [TrackView], of tag: Tag) -> [TrackView] {
        guard tracks.count > 1 else { return tracks }
        return QueueIndex.all(of: tracks).map { queue in
            let rivals = others(queue)
            return tracks[queue].among(rivals.map { tracks[$0] }) { stay in
                !rivals.contains { other in
                    excludes(stay, of: tag, queue, by: other)
                        || tracks[other].stays.contains {
                            $0.overlaps(stay)
                                && ($0.logOdds, names[queue]) > (stay.logOdds, names[other])
                        }
                }
            }
        }
    }

    private func others(_ queue: QueueIndex) -> [QueueIndex] { byName.filter { $0 != queue } }

    /// Whether another line has a visit or a stronger stay of the tag at the time of `stay`.
    private func excludes(_ stay: LineStay, of tag: Tag, _ queue: QueueIndex, by other: QueueIndex)
        -> Bool
    {
        orders[other].strongest(of: tag, during: stay).map { strength in
            (strength, names[queue]) > (stay.strength, names[other])
        } ?? false
    }
}

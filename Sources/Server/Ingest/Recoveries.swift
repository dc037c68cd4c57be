import Primitives
import ResultStore

/// The sites that fold their stored windows again, one after the other.
struct Recoveries {
    private let store: any ResultStore
    private var rest: ArraySlice<SiteRecovery>
    private let count: Int
    /// Whether the store could not be read: the sites go on without the windows before, and fold them as soon as it can.
    private(set) var isPartial: Bool

    /// - Parameter isPartial: whether other sites wait for their stored windows already.
    init(_ sites: [SiteRecovery], store: any ResultStore, isPartial: Bool = false) {
        self.store = store
        self.isPartial = isPartial
        rest = sites[...]
        count = sites.count
    }

    var isDone: Bool { rest.isEmpty }

    /// The part that is done; `nil` after the end.
    func percent(wall: UnixTime) -> Int? {
        guard let first = rest.first else { return nil }
        let left = Double(rest.count) - first.progress(wall: wall)
        return min(max(Int(100 * (1 - left / Double(count))), 0), 99)
    }

    /// Folds a part of a site's stored day, of a store whose rows are all found.
    ///
    /// - Returns: results that no earlier run has stored.
    mutating func step(
        wall: UnixTime, _ certainty: TimeCertainty, at now: Instant
    ) -> (results: SiteService.Results, site: String) {
        let first = rest.startIndex
        let name = rest[first].site.layout.site
        guard store.isDayChecked else {
            store.checkNext(at: now)
            return (SiteService.Results(), name)
        }
        let (results, isDone) = rest[first].step(wall: wall, certainty)
        if isDone {
            rest.removeFirst()
            isPartial = isPartial || !store.isReadable
        }
        return (isPartial || certainty == .doubtful ? SiteService.Results() : results, name)
    }
}

import HTTP
import Primitives
import ResultStore

extension Site {
    /// Shares what one part of the site has found with the others, and reads a store that was not open before.
    func complete() {
        try? restoreEditedRegions()
        try? restoreLabels()
        if let zones = ranging?.zonesOfLabels, zones != zonesOfLabels { show(zones) }
        guard let inventory, ranging != nil else { return }
        _ = try? changeRanging { $0.use(clones: inventory.estimator.clones) }
    }

    /// The changes by people since the last call, for the store: they count whatever becomes of results.
    func takeEdits() -> Results {
        var results = Results()
        results.regionChanges = edited.takeUnstored(layout.site)
        results.placeLabels = (try? changeRanging { $0.takeUnstored() }) ?? []
        return results
    }

    /// Changes what is known of places.
    private func changeRanging<Result>(
        _ change: (inout SiteRanging) throws(Problem) -> Result
    ) throws(Problem) -> Result? {
        guard let index = measurements.firstIndex(where: { $0 is SiteRanging }),
            var ranging = measurements[index] as? SiteRanging
        else { return nil }
        let result = try change(&ranging)
        measurements[index] = ranging
        return result
    }

    func add(_ request: LabelRequest, wall: UnixTime) throws(Problem) -> PlaceLabels.Label {
        try changeLabels { ranging throws(Problem) in try ranging.add(request, wall: wall) }
    }

    func removeLabel(_ id: String) throws(Problem) -> PlaceLabels.Label {
        try changeLabels { ranging throws(Problem) in try ranging.remove(id) }
    }

    private func changeLabels(
        _ change: (inout SiteRanging) throws(Problem) -> PlaceLabels.Label
    ) throws(Problem) -> PlaceLabels.Label {
        guard let label = try changeRanging(change) else {
            throw Problem(.notFound, "The site has no registry of beacons.")
        }
        return label
    }

    /// Takes the labels of earlier runs, once.
    func restoreLabels() throws(StoreFailure) {
        guard let ranging, !ranging.areLabelsRestored, store.isOpen else { return }
        let rows = try store.placeLabels(at: layout.site, newest: PlaceLabels.most)
        _ = try? changeRanging { $0.restore(rows) }
        show(self.ranging?.zonesOfLabels ?? [])
    }
}

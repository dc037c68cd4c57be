import Posix
import Primitives

/// Which keys of days are needed: those of days that are not closed.
///
/// A site that is not configured may come back, for example after an error in the configuration. Its windows of the running day
/// are stored with pseudonyms: its key stays as long as it would if the site were configured.
struct NeededKeys: Equatable {
    /// The running day of each configured site.
    private let running: [String: String]
    /// The first day that can still run at another site.
    private let first: String

    /// - Parameter running: the running day of each configured site.
    init(running: [String: LocalDay], wall: UnixTime) {
        self.running = running.mapValues(\.name)
        first = LocalDay(containing: wall - DayClosing.delivery).name
    }

    func contains(_ key: DayKey.Name) -> Bool { key.day >= running[key.site] ?? first }

    /// The keys among these files that a server which runs has destroyed.
    static func overdue(_ files: [String], at wall: UnixTime) -> [String] {
        let first = LocalDay(containing: wall - DayClosing.latest).name
        return files.filter { DayKey.Name(file: $0).map { $0.day < first } ?? false }
    }
}

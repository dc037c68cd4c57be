import Posix
import Primitives
import ResultStore
import SQLite

/// Files with rows beside the store: damaged ones that were set aside, and copies that an interrupted migration has left.
///
/// They keep their rows. The owner therefore erases them like rows of the time at which they were set aside.
struct SetAsideFiles {
    private let store: String

    /// The bytes that one call overwrites: a slow disk takes them in some tenths of a second.
    private static let slice = 1 << 20
    private static let kinds = [".damaged-", ".version-"]
    /// Clocks differ by less. A later time is of a clock that was wrong, and proves nothing.
    private static let mostAhead = Duration.seconds(86_400)

    /// - Parameter path: of the store.
    init(of path: String) { store = path }

    /// A free name for the damaged store. It ends with the time.
    func freeName(at wall: UnixTime) -> String {
        let name = "\(store).damaged-\(Self.label(wall))"
        var free = name
        var number = 1
        while File.exists(free) || File.exists(free + "-wal") {
            number += 1
            free = "\(name)-\(number)"
        }
        return free
    }

    /// The paths of all files, with their logs.
    var all: [String] {
        let folder = File.folder(of: store)
        return Folder.names(in: folder).map { folder + "/" + $0 }.filter(has)
    }

    /// Whether a file is one of them.
    func has(_ path: String) -> Bool {
        Self.kinds.contains { path.hasPrefix(store + $0) }
    }

    /// Erases a part of the files that were set aside before `limit`.
    func erase(before limit: UnixTime, wall: UnixTime) -> SetAsideErasure {
        let (first, last) = (Self.label(limit), Self.label(wall + Self.mostAhead))
        var erasure = SetAsideErasure()
        for path in all where stamp(of: path) < first || stamp(of: path) > last {
            do throws(Errno) {
                if try File.eraseEnd(of: path, atMost: Self.slice) {
                    erasure.isMore = true
                    break
                }
                erasure.erased.append(path)
            } catch {
                erasure.faults.append("The file \(path) can't be erased: \(error).")
            }
        }
        return erasure
    }

    /// The time in the name of a damaged file, else that of its last change. Their order is that of time.
    private func stamp(of path: String) -> String {
        let name = path.dropFirst(store.count)
        if name.hasPrefix(Self.kinds[0]) {
            let label = name.dropFirst(Self.kinds[0].count).prefix(Self.label(0).count)
            let marks = Self.label(0)
            let isTime =
                label.count == marks.count
                && zip(label, marks).allSatisfy { $1.isNumber ? $0.isNumber : $0 == $1 }
            if isTime { return String(label) }
        }
        return Self.label(File.modified(path) ?? 0)
    }

    /// `20261122T140212Z`.
    private static func label(_ wall: UnixTime) -> String {
        let time = UTCTime(wall)
        return "\(time.date)T\(time.clock)Z".filter { $0 != "-" && $0 != ":" }
    }
}

import Contract
import Posix
import Primitives
import Subscriber

/// The names of the gateways that a command has last seen, for the completions of a shell.
///
/// A file in the user's cache folder, with a line `SITE/GATEWAY` each.
package struct NameCache {
    private let path: String?

    private static let maxBytes = 4 << 20
    /// Older names may be gone.
    private static let lifetime = Duration.seconds(7 * 86_400)

    package init(_ environment: Environment = Environment()) {
        path = environment.cacheFolder.map { "\($0)/gateways" }
    }

    /// Replaces the names. A cache that can't be written is no fault of the command.
    package func store(_ names: some Sequence<GatewayName>) {
        guard let path else { return }
        let text = names.map { "\($0)\n" }.sorted().joined()
        do throws(Errno) {
            try File.makeFolders(File.folder(of: path))
            try File.replace(path, with: Array(text.utf8))
        } catch {}
    }

    /// The names, unless they are old.
    ///
    /// - Parameter wall: this machine's wall clock.
    package func names(wall: UnixTime) -> [GatewayName] {
        guard let path, let written = File.modified(path),
            wall - written < Self.lifetime,
            let bytes = try? File.contents(of: path, maxBytes: Self.maxBytes)
        else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ Topics.isName(String($0)) }) else {
                return nil
            }
            return GatewayName(site: String(parts[0]), id: String(parts[1]))
        }
    }
}

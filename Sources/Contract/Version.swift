import CBuild

/// Sightline's version, which the programs print for `--version` and the agent's status contains.
package enum Version {
    package static let current = "0.2.0"

    /// The version and the commit, for `--version`: `0.2.0 (commit 1a2b3c4d5e6f)`.
    package static var full: String { "\(current) (commit \(String(cString: sightline_commit())))" }
}

/// Sightline's version, which the programs print for `--version` and the agent's status contains.
package enum Version {
    package static let current = "0.1.0"
}

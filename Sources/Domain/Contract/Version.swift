/// Which Sightline this is: what its programs answer to `--version`, and the agent's status says.
package enum Version {
    package static let current = "0.1.0"
}

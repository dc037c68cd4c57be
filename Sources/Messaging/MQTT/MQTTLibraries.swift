/// The libraries that carry messages, in the versions that are loaded.
package enum MQTTLibraries {
    /// For `--version`: `libmosquitto 2.0.21, OpenSSL 3.5.1 1 Jul 2025`.
    package static var versions: String {
        "libmosquitto \(Mosquitto.libraryVersion), \(TLSStream.libraryVersion)"
    }
}

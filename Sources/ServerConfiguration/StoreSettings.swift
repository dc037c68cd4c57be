import Configuration
import Contract
import JSON

/// Where the server keeps its rows: the section `store` of its file.
package struct StoreSettings: ConfigurationSection {
    /// A connection string of libpq.
    package var postgres = ""

    package init() {}

    package static let help =
        "A database for facts and results. Without this section, they are in an SQLite file in "
        + "stateDirectory."
    package static let keys: [ConfigurationKey<StoreSettings>] = [
        .value(
            "postgres", \.postgres, .text(maxBytes: 2000), isRequired: true,
            effect: .afterRestart, example: "service=sightline",
            help: "The connection string of a PostgreSQL database, as libpq has it: keyword=value "
                + "pairs or a postgresql:// address. A service names a section of libpq's service "
                + "file. It has no password: that is in libpq's password file.")
    ]
}

/// The engines of a program: of files, and of databases elsewhere.
package struct StoreEngines: Sendable {
    private let files: any StoreEngine
    private let database: (@Sendable (_ settings: String) -> any StoreEngine)?

    /// - Parameter database: the engine for a connection string.
    package init(
        _ files: any StoreEngine,
        database: (@Sendable (_ settings: String) -> any StoreEngine)? = nil
    ) {
        self.files = files
        self.database = database
    }

    /// - Parameter settings: a connection string; `nil` means a file.
    package func engine(_ settings: String?) -> any StoreEngine {
        settings.flatMap { database?($0) } ?? files
    }
}

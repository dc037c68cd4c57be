import Logging
import Posix
import ServerConfiguration
import Store
import TestSupport

@testable import Server

/// The first site of a configuration, as a server finds it that starts at `wallMs`.
func recovered(
    _ configuration: ServerConfiguration, _ store: Store, keys: DayKeys, wallMs: Int64
) throws -> SiteService {
    let source = SiteSource(
        configuration, file: "", store: store, keys: keys, session: Session(description: "0"),
        log: Log(level: .error))
    guard var recovery = source.recoveries(wallMs: wallMs).first else {
        throw TestFailure("the configuration has no site")
    }
    while !recovery.step(wallMs: wallMs).isDone {}
    return recovery.site
}

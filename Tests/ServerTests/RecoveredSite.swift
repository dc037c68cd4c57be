import Logging
import Posix
import Primitives
import ServerConfiguration
import Store
import TestSupport

@testable import Server

/// The first site of a configuration, as a server finds it that starts at `wall`.
func recovered(
    _ configuration: ServerConfiguration, _ store: Store, keys: DayKeys, wall: UnixTime
) throws -> SiteService {
    let source = SiteSource(
        configuration, file: "", store: store, keys: keys, session: Session(description: "0"),
        log: Log(level: .error))
    guard var recovery = source.recoveries(wall: wall).first else {
        throw TestFailure("the configuration has no site")
    }
    while !recovery.step(wall: wall).isDone {}
    return recovery.site
}

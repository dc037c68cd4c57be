import Glibc
import ResultStore
import Server
import StorePostgres
import StoreSQLite

let engines = StoreEngines(SQLiteEngine()) { PostgresEngine($0) }
exit(SightlineServer.main(CommandLine.arguments.dropFirst(), engines: engines))

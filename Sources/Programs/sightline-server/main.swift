import Glibc
import Server
import StoreSQLite

exit(SightlineServer.main(CommandLine.arguments.dropFirst(), engine: SQLiteEngine()))

import Glibc
import Server

exit(SightlineServer.main(CommandLine.arguments.dropFirst()))

import Agent
import Glibc

exit(Daemon.main(CommandLine.arguments.dropFirst()))

import Glibc
import Subcommands

exit(Sightline.run(CommandLine.arguments.dropFirst()).rawValue)

import Glibc
import Operator

exit(Sightline.run(CommandLine.arguments.dropFirst()).rawValue)

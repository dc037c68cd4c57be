import Glibc
import SightlineTool

exit(Sightline.run(CommandLine.arguments.dropFirst()).rawValue)

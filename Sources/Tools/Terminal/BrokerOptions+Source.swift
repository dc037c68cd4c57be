import CommandLine
import Posix

extension BrokerOptions {
    /// The broker of a command: an option, else the environment, else a profile, else the local one.
    struct Source {
        let broker: BrokerURL
        /// `nil` if an option or the environment names the broker: credentials are for their own broker alone.
        let profile: Profile?
        /// Whether an option, the environment or a profile names the broker.
        let isChosen: Bool

        /// - Parameter folder: its profile comes before the user's.
        init(
            _ invocation: Invocation, _ environment: Environment, profileIn folder: String?
        ) throws(UsageError) {
            if invocation.has("broker"), invocation.has("profile") {
                throw UsageError("--profile names a broker already; leave out --broker")
            }
            let fromEnvironment = invocation.has("profile") ? nil : environment["SIGHTLINE_BROKER"]
            if let url = invocation["broker"] ?? fromEnvironment {
                do throws(BrokerURL.Invalid) {
                    broker = try BrokerURL(url)
                } catch {
                    let name = invocation.has("broker") ? "--broker" : "SIGHTLINE_BROKER"
                    throw UsageError(
                        "\(name): \(error.message)", concernsHelp: invocation.has("broker"))
                }
                (profile, isChosen) = (nil, true)
                return
            }
            do throws(Profile.Unusable) {
                if let name = invocation["profile"] ?? environment["SIGHTLINE_PROFILE"] {
                    profile = try Profile.named(name, environment)
                } else if let folder, File.exists("\(folder)/\(Profile.fileName)") {
                    profile = try Profile.inFolder(folder)
                } else {
                    profile = try Profile.usual(environment)
                }
            } catch {
                throw UsageError(error.message, concernsHelp: false)
            }
            broker = profile?.broker ?? .local
            isChosen = profile != nil
        }
    }
}

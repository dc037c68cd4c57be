import Configuration
import HTTP
import JSON
import Posix
import ServerConfiguration

extension AccessPolicy {
    /// Who may read what, with the tokens of the file. Throws a line for each fault.
    ///
    /// On a local address without tokens, every program of the machine may read everything.
    ///
    /// - Parameter file: the path of the configuration.
    init(_ settings: HTTPSettings, of file: String) throws(ConfigurationError) {
        guard let path = settings.tokens else {
            self.init(anonymous: .read)
            return
        }
        let bytes: [UInt8]
        do throws(TextFile.Unreadable) {
            bytes = try TextFile.contents(of: path, maxBytes: AccessTokens.maxFileBytes)
        } catch {
            throw ConfigurationError(lines: [
                "\(file): /http/tokens: \(path) can't be read: \(error); http.tokens in 'man sightline-server.json' says "
                    + "what this file has"
            ])
        }
        do throws(Faults) {
            self.init(
                anonymous: settings.isPublic ? .public : nil,
                tokens: try AccessTokens(parsing: bytes))
        } catch {
            throw ConfigurationError(lines: error.list.map { $0.line(of: path) })
        }
    }
}

import Configuration
import Contract
import Diagnosis
import HTTP
import Posix
import ResultStore
import ServerConfiguration

/// Checks the server of a configuration, in the order of repair.
struct ServerDoctor {
    private let path: String
    private let engine: any StoreEngine
    let report: (Check) -> Void

    /// The user that the package creates.
    private static let accountName = "sightline-server"

    init(
        _ path: String, _ engine: any StoreEngine, report: @escaping (Check) -> Void
    ) {
        self.path = path
        self.engine = engine
        self.report = report
    }

    func examine() {
        let configuration: ServerConfiguration
        do throws(ConfigurationError) {
            configuration = try ServerConfiguration.load(path: path)
        } catch {
            for line in error.lines { report(Check("configuration", .wrong, line)) }
            return report(Check("all else", .skipped, "needs a valid configuration"))
        }
        let folder = SightlineServer.stateDirectory(configuration, of: path)
        let process = folder.flatMap { FolderLock.holder(of: $0) }
        let account = Self.account(of: process)
        report(
            .configuration(
                path, queues: configuration.sites.reduce(0) { $0 + $1.queues.count },
                objection: account.objection(to: .read, at: path)))
        let unusable = examineFiles(configuration, account)
        report(.server(process))
        examineDisk(folder, account, kept: RetentionRule.evidence.text(configuration))
        if let folder { examineKeys(folder, isRunning: process != nil) }
        report(
            .clock(
                error: Clocks.wallClockError,
                consequence: "the server closes no day before a gateway confirms its time"
            ))
        let page = ServerPage(configuration.http.listen)
        examinePage(page, configuration.http, isRunning: process != nil)
        examineBroker(
            configuration, page: process == nil ? nil : page,
            isUsable: !unusable.contains { configuration.broker?.names($0) ?? false })
    }

    /// The user of the running server, else the package's, else this one.
    private static func account(of process: Int32?) -> Account {
        let owner = process.flatMap { (try? FilePermissions(of: "/proc/\($0)"))?.owner }
        return owner.flatMap { Account.of(user: $0) } ?? Account.named(accountName) ?? .own
    }

    // MARK: Files

    /// - Returns: the unusable files.
    private func examineFiles(
        _ configuration: ServerConfiguration, _ account: Account
    ) -> Set<String> {
        let files =
            (configuration.broker?.files ?? [])
            + [configuration.http.tokens].compactMap(\.self).map { ("tokens", $0) }
        var unusable: Set<String> = []
        for (purpose, path) in files {
            let check = Check.file(
                purpose, path, of: .server, objection: account.objection(to: .read, at: path))
            if check.outcome == .wrong {
                unusable.insert(path)
                report(check)
            }
        }
        if unusable.isEmpty {
            report(
                Check(
                    "files", .ok,
                    files.isEmpty ? "the configuration names none" : "all are readable"))
        }
        if let path = configuration.http.tokens, !unusable.contains(path) {
            report(
                .tokens(
                    path,
                    (try? TextFile.contents(of: path, maxBytes: AccessTokens.maxFileBytes)) ?? [],
                    mode: (try? FilePermissions(of: path))?.mode ?? 0))
        }
        return unusable
    }

    private func examineDisk(_ folder: String?, _ account: Account, kept: String) {
        guard let folder else { return report(.state(nil, of: .server)) }
        let store = folder + "/" + engine.fileName
        let held = File.size(store) ?? 0
        let wanted = max(0, Int64(StoreRetention().maxBytes) - held)
        let state = StateFolder(folder, of: account, wanted: wanted)
        let check = Check.state(state, of: .server)
        report(check)
        guard check.outcome != .wrong else {
            return report(Check("disk", .skipped, "\(folder): not writable"))
        }
        report(.disk(state, of: .server))
        guard File.exists(store) else {
            return report(Check("store", .ok, "\(store): the server creates it"))
        }
        do throws(StoreFailure) {
            let inventory = try engine.inventory(of: store)
            report(.store(store, inventory, kept: kept))
        } catch {
            report(.store(store, error))
        }
    }

    private func examineKeys(_ folder: String, isRunning: Bool) {
        let places = SightlineServer.keyFolders(of: folder)
        for path in [places.disk, places.refuge].compactMap(\.self) where File.exists(path) {
            if let objection = Account.own.objection(to: [.read, .enter], at: path) {
                report(Check("keys", .skipped, "\(path): \(objection)"))
                continue
            }
            let isRefuge = path != places.disk
            report(
                .keys(KeyFolder(path: path), isRefuge: isRefuge, at: .now, isRunning: isRunning))
        }
    }

    // MARK: Page

    private func examinePage(_ page: ServerPage, _ settings: HTTPSettings, isRunning: Bool) {
        if isRunning {
            report(.health(page.get("/healthz"), settings.listen))
        } else {
            report(.address(isTaken: page.isTaken, settings.listen))
        }
        report(.hosts(settings))
    }
}

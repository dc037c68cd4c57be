import Configuration
import Contract
import Diagnosis
import HTTP
import JSON
import MQTT
import Posix
import Queueing
import ResultStore
import Results
import ServerConfiguration
import Session

/// Checks the server of a configuration, in the order of repair.
struct ServerDoctor {
    private let path: String
    private let engines: StoreEngines
    private let isIsolated: Bool
    let report: (Check) -> Void

    /// The user that the package creates.
    private static let accountName = "sightline-server"

    /// - Parameter isIsolated: whether this program's file can hold connections in a process of its own.
    init(
        _ path: String, _ engines: StoreEngines, isIsolated: Bool = true,
        report: @escaping (Check) -> Void
    ) {
        self.path = path
        self.engines = engines
        self.isIsolated = isIsolated
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
                failure: account.failure(of: .read, at: path)))
        let unusable = examineFiles(configuration, account)
        report(.server(process))
        examineDisk(
            folder, account, engines.engine(configuration.store?.postgres),
            kept: RetentionRule.evidence.text(configuration))
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
            + [("tokens", configuration.http.tokens), ("CA file", configuration.webhook?.caFile)]
            .compactMap { purpose, path in path.map { (purpose, $0) } }
        var unusable: Set<String> = []
        for (purpose, path) in files {
            let check = Check.file(
                purpose, path, of: .server, failure: account.failure(of: .read, at: path))
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

    private func examineDisk(
        _ folder: String?, _ account: Account, _ engine: any StoreEngine, kept: String
    ) {
        guard let folder else { return report(.state(nil, of: .server)) }
        let store = engine.place(in: folder)
        let isFile = File.folder(of: store) == folder
        let held = File.size(store) ?? 0
        let wanted = isFile ? max(0, Int64(StoreRetention().maxBytes) - held) : 0
        let state = StateFolder(folder, of: account, wanted: wanted)
        let check = Check.state(state, of: .server)
        report(check)
        guard check.outcome != .wrong else {
            return report(Check("disk", .skipped, "\(folder): not writable"))
        }
        report(.disk(state, of: .server))
        if let fault = engine.fault {
            return report(
                Check("store", .wrong, SightlineServer.storeFault(fault, file: path)))
        }
        guard engine.exists(at: store) else {
            return report(Check("store", .ok, "\(store): the server creates it"))
        }
        do throws(StoreFailure) {
            let inventory = try engine.inventory(of: store)
            report(.store(store, inventory, kept: kept))
        } catch {
            report(.store(store, error, isFile: isFile))
        }
    }

    private func examineKeys(_ folder: String, isRunning: Bool) {
        let places = SightlineServer.keyFolders(of: folder)
        for path in [places.disk, places.refuge].compactMap(\.self) where File.exists(path) {
            if let failure = Account.own.failure(of: [.read, .enter], at: path) {
                report(Check("keys", .skipped, "\(path): \(failure)"))
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

extension ServerDoctor {
    /// - Parameters:
    ///   - page: of the running server; `nil` if none runs.
    ///   - isUsable: whether all files of the section `mqtt` are readable.
    func examineBroker(
        _ configuration: ServerConfiguration, page: ServerPage?, isUsable: Bool
    ) {
        guard let broker = configuration.broker else { return }
        let examination = BrokerExamination(
            broker, section: "mqtt", isIsolated: isIsolated, report: report)
        let settings = examination.reach(isUsable: isUsable) { () throws(PasswordFile.Unusable) in
            try broker.connection(usualClientID: "sightline-server/\(configuration.id)")
        }
        if let page {
            if settings != nil { examination.add(.loginBesideServer) }
            let health = page.get("/healthz")?.detail ?? ""
            let faults = [ServerState.startingFault, ServerState.disconnectedFault]
            guard !faults.contains(where: { health.contains($0) }) else { return skipGateways() }
            let retains = !health.contains("\(BrokerRestriction.noRetainedMessages)")
            for site in configuration.sites {
                examineGateways(of: site, page, retains: retains)
            }
            return
        }
        guard let settings else { return skipGateways() }
        let results = ResultTopics(root: configuration.resultsRoot)
        let status = results.status(of: configuration.id)
        let filters = configuration.sites.flatMap {
            Ingest.filters(root: configuration.topicRoot, results: results, site: $0.site)
        }
        let written = writtenTopics(configuration, results)
        let observation = examination.rights(
            settings, reading: filters + [status], required: filters, writing: written + [status],
            status: status, as: ConfiguredSites.durableReading
        ) { observation in
            .session(
                observation.documents[status], hasRival: observation.hasRival, configuration.id)
        }
        guard let observation else { return skipGateways() }
        guard observation.retains else {
            return report(
                Check("gateway", .skipped, "the broker keeps no status of a gateway to read"))
        }
        for site in configuration.sites {
            let filter = "\(configuration.topicRoot)/\(site.site)/+/status"
            guard observation.answers[filter]?.isFailure == false else {
                let reason = "depends on the subscription to \(filter)"
                report(Check("gateway", .skipped, "\(site.site): \(reason)"))
                continue
            }
            for gateway in site.measuringGateways {
                let topic = "\(configuration.topicRoot)/\(site.site)/\(gateway)/status"
                report(
                    .gateway(
                        "\(site.site)/\(gateway)", status: observation.documents[topic],
                        atAll: observation.documents.keys.contains(topic)))
            }
        }
    }

    /// The topics that the server writes, beside its status. The rights of one queue are those of all.
    private func writtenTopics(
        _ configuration: ServerConfiguration, _ results: ResultTopics
    ) -> [String] {
        let home = DiscoveryPublisher(configuration)
        let visits = configuration.privacy == .day ? [ResultTopics.Kind.visits] : []
        let kinds =
            PresentKind.all.map { ($0, [$0.kind.topic].compactMap(\.self)) }
            + [(PresentKind.queues, [.minutes] + visits)]
        return configuration.sites.flatMap { site in
            kinds.flatMap { present, topics in
                present.items(site).prefix(1).flatMap { item in
                    topics.map { results.topic($0, site: site.site, item: item) }
                }
            } + (home?.publications(of: [site]).prefix(1).map(\.topic) ?? [])
        }
    }

    /// Without the broker, nothing is known of gateways.
    private func skipGateways() {
        report(Check("gateway", .skipped, "depends on the server's connection to the broker"))
    }

    /// Asks the running server for the gateways of a site.
    private func examineGateways(of site: SiteLayout, _ page: ServerPage, retains: Bool) {
        let answer = page.get("/api/v1/sites/\(site.site)/gateways")
        guard let answer, answer.status == 200, case .array(let known)? = answer.json?["gateways"]
        else {
            let reason = answer?.detail ?? "the running server does not answer"
            return report(Check("gateway", .skipped, "\(site.site): \(reason)"))
        }
        for gateway in site.measuringGateways {
            let json = known.first { $0["gateway"] == .string(gateway) }
            report(.gateway("\(site.site)/\(gateway)", json ?? .null, retains: retains))
        }
        for json in known where json["configured"] == false {
            guard case .string(let gateway)? = json["gateway"] else { continue }
            report(.unused("\(site.site)/\(gateway)"))
        }
    }
}

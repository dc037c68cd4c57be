import Configuration
import Diagnosis
import Glibc
import Posix
import Radio

extension Doctor {
    /// Checks the radio of the configuration.
    func examineRadio(_ configuration: LocalConfiguration) {
        switch configuration.source {
        case .adapter(let device, let channel):
            examineAdapter(device, isExclusive: channel == .user, configuration)
        case .h4(let address):
            guard agent == nil else {
                return report(
                    Check("reports", .skipped, "the running agent uses the controller"))
            }
            scan(.h4(address), configuration)
        case .replay(let path):
            if let failure = account.failure(of: .read, at: path) {
                return report(.file("radio's source", path, of: .agent, failure: failure))
            }
            report(Check("radio", .skipped, "\(path): the source is not a radio"))
        }
    }

    private func examineAdapter(
        _ device: UInt16, isExclusive: Bool, _ configuration: LocalConfiguration
    ) {
        let name = "hci\(device)"
        let state = Result { () throws(RadioFailure) in
            try AdapterState(device: device, exclusive: isExclusive)
        }
        let checks = Check.adapter(
            Check.Adapter(
                name: name, isExclusive: isExclusive, state: state,
                blocks: RadioBlock.all(of: name), powersOn: configuration.radio.powersOn,
                isBluetoothdRunning: Self.isRunning("bluetoothd"), agent: agent,
                privileges: Privileges(ofProcess: nil) ?? [],
                programPrivileges: Self.programPrivileges))
        checks.forEach(report)
        guard !checks.contains(where: { $0.outcome == .wrong }) else {
            return report(Check("reports", .skipped, "\(name) can't be used"))
        }
        // The agent switches the adapter on; this program leaves it as it is.
        if !isExclusive, case .success(let state) = state, !state.isUp {
            return report(Check("reports", .skipped, "\(name) is down"))
        }
        switch (isExclusive, agent) {
        case (true, .some):
            report(Check("reports", .skipped, "the running agent uses \(name)"))
        case (false, .some):
            report(.commands(nil))
            listen(device, configuration)
        case (_, nil):
            // Without the permission, this process can't scan either.
            guard checks.allSatisfy({ $0.name != "permission" || $0.outcome == .ok }) else {
                return report(Check("reports", .skipped, "\(name) can't be used"))
            }
            scan(isExclusive ? .user(device: device) : .raw(device: device), configuration)
        }
    }

    /// Scans as the agent does, and restores the adapter's state.
    private func scan(_ source: ControllerSource, _ configuration: LocalConfiguration) {
        var probe = RadioProbe(
            source, randomAddress: configuration.randomAddress, seconds: seconds)
        do throws(RadioFailure) {
            let found = try probe.scan()
            report(.commands(found.family))
            if let address = found.randomAddress { report(.address(address)) }
            report(
                .together(
                    found.canDoBoth, advertises: configuration.settings.advertise?.enabled ?? false)
            )
            report(
                .reports(
                    found.counts, seconds: seconds, references: configuration.references))
        } catch {
            report(Check("radio", .wrong, error.description))
        }
    }

    /// Receives the reports of the running agent's scan.
    private func listen(_ device: UInt16, _ configuration: LocalConfiguration) {
        guard Privileges(ofProcess: nil)?.contains(.netRaw) ?? false else {
            return report(
                Check(
                    "reports", .skipped,
                    "run 'sudo sightline doctor' to receive the agent's reports")
            )
        }
        do throws(RadioFailure) {
            let counts = try RadioProbe.listen(device, seconds: seconds)
            report(.reports(counts, seconds: seconds, references: configuration.references))
        } catch {
            report(Check("radio", .wrong, error.description))
        }
    }

    private static func isRunning(_ program: String) -> Bool {
        Folder.names(in: "/proc").contains { name in
            guard Int32(name) != nil,
                let bytes = try? File.contents(of: "/proc/\(name)/comm", maxBytes: 100)
            else { return false }
            return String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self) == program
        }
    }

    /// The file capabilities of the agent's program in the usual folders.
    private static var programPrivileges: Privileges {
        ["/usr/sbin/sightlined", "/usr/bin/sightlined", "/usr/local/sbin/sightlined"]
            .map { Privileges(ofProgram: $0) }.first { !$0.isEmpty } ?? []
    }
}

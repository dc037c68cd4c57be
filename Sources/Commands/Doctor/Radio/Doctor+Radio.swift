import Configuration
import Glibc
import Posix
import Radio

extension Doctor {
    /// Looks at the radio that the configuration names.
    func examineRadio(_ configuration: LocalConfiguration) {
        switch configuration.source {
        case .adapter(let device, let channel):
            examineAdapter(device, isExclusive: channel == .user, configuration)
        case .h4(let address):
            guard agent == nil else {
                return report(
                    Check("reports", .skipped, "the controller is the running agent's own"))
            }
            listen(to: .h4(address), configuration)
        case .replay(let path), .simulation(let path):
            if let objection = account.objection(to: .read, at: path) {
                return report(.file("radio's source", path, objection: objection))
            }
            report(Check("radio", .skipped, "\(path): no radio of this gateway"))
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
                blocks: RadioBlock.all(of: name),
                isBluetoothdRunning: Self.isRunning("bluetoothd"), agent: agent,
                privileges: Privileges(ofProcess: nil) ?? [],
                programPrivileges: Self.programPrivileges))
        checks.forEach(report)
        guard !checks.contains(where: { $0.outcome == .wrong }) else {
            return report(Check("reports", .skipped, "\(name) can't be listened to"))
        }
        switch (isExclusive, agent) {
        case (true, .some):
            report(Check("reports", .skipped, "\(name) is the running agent's own"))
        case (false, .some):
            report(.commands(nil))
            overhear(device, configuration)
        case (_, nil):
            // Listening is what this process may not do either.
            guard checks.allSatisfy({ $0.name != "permission" || $0.outcome == .ok }) else {
                return report(Check("reports", .skipped, "\(name) can't be listened to"))
            }
            listen(to: isExclusive ? .user(device: device) : .raw(device: device), configuration)
        }
    }

    /// Scans for a while, as the agent would: the adapter is left as it was found.
    private func listen(to source: ControllerSource, _ configuration: LocalConfiguration) {
        var ear = Listening(source, seconds: seconds)
        do throws(RadioFailure) {
            let found = try ear.listen()
            report(.commands(found.family))
            report(
                .together(
                    found.canDoBoth, advertises: configuration.settings.advertise?.enabled ?? false)
            )
            report(
                .reports(
                    found.hearing, seconds: seconds, references: configuration.references))
        } catch {
            report(Check("radio", .wrong, error.description))
        }
    }

    /// Listens to what the running agent's scan brings.
    private func overhear(_ device: UInt16, _ configuration: LocalConfiguration) {
        guard Privileges(ofProcess: nil)?.contains(.netRaw) ?? false else {
            return report(
                Check(
                    "reports", .skipped, "run 'sudo sightline doctor' to hear what the agent hears")
            )
        }
        do throws(RadioFailure) {
            let hearing = try Listening.overhear(device, seconds: seconds)
            report(.reports(hearing, seconds: seconds, references: configuration.references))
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

    /// What the agent's program gives to whoever runs it, wherever a package puts it.
    private static var programPrivileges: Privileges {
        ["/usr/sbin/sightlined", "/usr/bin/sightlined", "/usr/local/sbin/sightlined"]
            .map { Privileges(ofProgram: $0) }.first { !$0.isEmpty } ?? []
    }
}

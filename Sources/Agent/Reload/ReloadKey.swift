import Configuration

/// A key of the local file, or a section, and when a change of it takes effect.
struct ReloadKey {
    enum Effect {
        case atOnce
        case afterRestart
    }

    let name: String
    let effect: Effect
    let differs: (LocalConfiguration, LocalConfiguration) -> Bool
    /// Puts what was in force back into a new configuration.
    let keep: (inout LocalConfiguration, _ old: LocalConfiguration) -> Void

    /// All there are, in the order of the example.
    static var all: [ReloadKey] {
        [
            afterRestart("gateway.site", \.topics.site, with: \.topics),
            afterRestart("gateway.id", \.topics.gateway, with: \.topics),
            afterRestart("mqtt.root", \.topics.root, with: \.topics),
            atOnce("mqtt", \.broker),
            atOnce("mqtt.alternatives", \.alternatives),
            afterRestart("radio.source", \.source, with: \.source),
            atOnce("radio.reference", \.references),
            atOnce("report", \.settings.report),
            afterRestart("report.maxIdentities", \.maxIdentities, with: \.maxIdentities),
            atOnce("filter", \.settings.filter),
            atOnce("advertise", \.settings.advertise),
            afterRestart("outbox.path", \.outbox.path, with: \.outbox.path),
            atOnce("outbox.spillAfterMs", \.outbox.spillAfterMs),
            atOnce("outbox.maxBytes", \.outbox.maxBytes),
            atOnce("outbox.maxAgeHours", \.outbox.maxAgeHours),
            atOnce("outbox.backlogPerSecond", \.outbox.backlogPerSecond),
            atOnce("outbox.holdUnsyncedMs", \.outbox.holdUnsyncedMs),
            afterRestart("stateDirectory", \.stateDirectory, with: \.stateDirectory),
            atOnce("metrics.textfile", \.metricsPath),
            atOnce("homeAssistant", \.homeAssistant),
            atOnce("log.level", \.log.level),
            atOnce("log.format", \.log.format),
        ]
    }

    private static func atOnce(
        _ name: String, _ path: KeyPath<LocalConfiguration, some Equatable>
    ) -> ReloadKey {
        ReloadKey(
            name: name, effect: .atOnce, differs: { $0[keyPath: path] != $1[keyPath: path] },
            keep: { (_, _) in })
    }

    /// - Parameter whole: what has to stay as it is for that.
    private static func afterRestart<Whole>(
        _ name: String, _ path: KeyPath<LocalConfiguration, some Equatable>,
        with whole: WritableKeyPath<LocalConfiguration, Whole>
    ) -> ReloadKey {
        ReloadKey(
            name: name, effect: .afterRestart,
            differs: { $0[keyPath: path] != $1[keyPath: path] },
            keep: { $0[keyPath: whole] = $1[keyPath: whole] })
    }
}

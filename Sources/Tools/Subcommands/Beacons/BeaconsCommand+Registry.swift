import Inventory
import JSON
import Primitives
import Terminal

// The registry alone: its faults, its rows, and its first form.
extension BeaconsCommand {
    func lint(_ registry: Registry, to output: inout StandardOutput) -> ExitCode {
        for fault in registry.faults {
            output.write(
                invocation.has("json")
                    ? fault.json.text + "\n" : "\(name):\(fault.line): \(fault.sentence)\n")
        }
        guard registry.faults.isEmpty else { return .failed }
        if !invocation.has("json") {
            output.write("\(name): \(count(registry.beacons.count, "row")), no fault\n")
        }
        if !registry.otherColumns.isEmpty {
            let columns = registry.otherColumns.map { $0.printable() }.joined(separator: ", ")
            StandardOutput.report("\(name): columns without a meaning here are kept: \(columns)")
        }
        return .done
    }

    func list(_ registry: Registry, to output: inout StandardOutput) -> ExitCode {
        let zone = invocation["zone"]
        let beacons = registry.beacons.filter {
            (kind == nil || $0.kind == kind) && (zone == nil || $0.zone == zone)
        }
        if invocation.has("json") {
            for beacon in beacons { output.write(beacon.json.text + "\n") }
            return .done
        }
        var table = TextTable([
            .left("BEACON"), .left("KIND"), .left("NAME"), .left("ZONE"), .right("X"), .right("Y"),
            .right("INTERVAL"),
        ])
        table.rows = beacons.map { beacon in
            [
                beacon.label, beacon.kind.rawValue, (beacon.name ?? "").printable(),
                (beacon.zone ?? "").printable(), beacon.place.map { "\($0.x)" } ?? "",
                beacon.place.map { "\($0.y)" } ?? "", beacon.intervalMs.map { "\($0) ms" } ?? "",
            ]
        }
        output.write(table.lines.map { $0 + "\n" }.joined())
        return .done
    }

    func importBeacons(to output: inout StandardOutput) throws(Unusable) -> ExitCode {
        let kind = kind ?? .fixed
        guard path.isEmpty else {
            do throws(Registry.Fault) {
                let imported = try RegistryImport(parsing: try bytes(), kind: kind)
                output.write(imported.text)
                for fault in imported.faults {
                    StandardOutput.report("\(name):\(fault.line): \(fault.sentence)")
                }
                return .done
            } catch {
                throw Unusable(sentence: "\(name):\(error.line): \(error.sentence)")
            }
        }
        output.write(RegistryText.registry(of: try recorded(), kind: kind, uuid: uuid))
        return .done
    }

    /// The contents; a file that can't be read is a fault of its first line.
    private func bytes() throws(Registry.Fault) -> [UInt8] {
        do throws(Unusable) {
            return try contents()
        } catch {
            throw Registry.Fault(line: 1, sentence: error.sentence)
        }
    }
}

import Primitives

/// The adapters of a capture. Only Linux monitor records name them.
extension Btsnoop {
    /// The adapter to read; `nil` for a capture that does not name adapters.
    ///
    /// - Parameter choice: the chosen adapter; `nil` if the capture has reports of one adapter at most.
    package static func adapter(
        _ choice: UInt16?, of file: Bytes
    ) throws(Failure) -> UInt16? {
        guard try Btsnoop(file).link == .monitor else {
            if choice != nil { throw .ambiguous(adapters: []) }
            return nil
        }
        let adapters = try adapters(of: file)
        guard let choice else {
            if adapters.count > 1 { throw .ambiguous(adapters: adapters) }
            return nil
        }
        if !adapters.isEmpty, !adapters.contains(choice) { throw .ambiguous(adapters: adapters) }
        return choice
    }

    /// The adapters with advertising reports, in order. The records before a damaged one count.
    private static func adapters(of file: Bytes) throws(Failure) -> [UInt16] {
        var walk = try Btsnoop(file)
        var adapters: [UInt16] = []
        do throws(Failure) {
            while let record = try walk.next(in: file) {
                guard adapters.last != record.adapter else { continue }
                let event = file.extracting(record.event)
                guard AdvertisingReports(event: event) != nil else { continue }
                adapters.removeAll { $0 == record.adapter }
                adapters.append(record.adapter)
            }
        } catch {}
        return adapters.sorted()
    }
}

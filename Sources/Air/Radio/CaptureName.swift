/// A capture file and the adapter whose events are played: `FILE` or `FILE#hci1`.
package struct CaptureName: Equatable, Sendable {
    package let path: String
    /// `nil` for a capture of one adapter.
    package let adapter: UInt16?

    package init(parsing text: String) {
        let marker = "#hci"
        guard let hash = text.lastIndex(of: "#"), text[hash...].hasPrefix(marker),
            let number = UInt16(text[hash...].dropFirst(marker.count))
        else {
            path = text
            adapter = nil
            return
        }
        path = String(text[..<hash])
        adapter = number
    }
}

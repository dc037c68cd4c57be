/// What the kernel's notices say about an adapter that is in use.
///
/// A bound user channel does not keep the adapter up. `hciconfig down` looks for a user before it waits, and the kernel's
/// power-off, two seconds after the setup, looks for none (Linux, hci_dev_close and hci_power_off). A socket that is
/// bound meanwhile stays open and silent.
struct AdapterNotices {
    /// The notice that ends the use.
    private(set) var end: HCISocket.Notice?

    mutating func on(_ notice: HCISocket.Notice) { end = end ?? notice }

    /// The sockets are bound; the notices until now are about an earlier use.
    ///
    /// - Parameter isUp: read after those notices, since one of them may be about this use.
    mutating func bound(isUp: Bool) { end = isUp ? nil : .down }
}

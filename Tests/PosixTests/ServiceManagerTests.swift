import Foundation
import TestSupport
import Testing

@testable import Posix

@Suite struct ServiceManagerTests {
    @Test("notifications arrive at a path and at an abstract name", arguments: [false, true])
    func arrives(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let place = isAbstract ? "@sightline-\(UUID().uuidString)" : folder.file("notify")
        let listener = try NotifySocket(at: place)
        let manager = try #require(ServiceManager { $0 == "NOTIFY_SOCKET" ? place : nil })
        #expect(manager.patience == nil)
        manager.send(.ready, .status("hearing\non hci0"))
        manager.send(.alive)
        manager.extendStart(by: .seconds(120))
        manager.send(.stopping)
        #expect(listener.next() == "READY=1\nSTATUS=hearing on hci0")
        #expect(listener.next() == "WATCHDOG=1")
        #expect(listener.next() == "EXTEND_TIMEOUT_USEC=120000000")
        #expect(listener.next() == "STOPPING=1")
        #expect(listener.next() == nil)
        manager.send(.reloading)
        let reloading = try #require(listener.next())
        #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    }

    @Test("without a notification socket there is no manager, and a closed socket is no error")
    func nobody() throws {
        #expect(ServiceManager { _ in nil } == nil)
        for place in ["", "/", "@", "relative", "/" + String(repeating: "x", count: 200)] {
            #expect(ServiceManager { $0 == "NOTIFY_SOCKET" ? place : nil } == nil)
        }
        let folder = try TemporaryFolder()
        let place = folder.file("gone")
        ServiceManager { $0 == "NOTIFY_SOCKET" ? place : nil }?.send(.alive)
    }

    private static let watchdogs: [(pid: String?, interval: String?, expected: Duration?)] = [
        (nil, "30000000", .seconds(30)), ("7", "30000000", .seconds(30)), ("8", "30000000", nil),
        (nil, "soon", nil), (nil, "-1", nil), (nil, "0", nil), (nil, nil, nil),
    ]

    @Test("the watchdog applies only to the process that it names", arguments: watchdogs.indices)
    func watchdog(index: Int) throws {
        let (pid, interval, expected) = Self.watchdogs[index]
        let values = [
            "NOTIFY_SOCKET": "/nowhere", "WATCHDOG_PID": pid, "WATCHDOG_USEC": interval,
        ]
        let manager = try #require(ServiceManager(process: 7) { values[$0] ?? nil })
        #expect(manager.patience == expected)
    }
}

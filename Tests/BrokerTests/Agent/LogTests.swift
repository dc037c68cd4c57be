import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("log")
    struct LogTests {
        @Test("with log.format json, each line is an object with priority, level and message")
        func json() throws {
            let broker = try Broker()
            var options = Gateway.Options()
            options.sections["log"] = ["format": "json"]
            let gateway = try Gateway(port: broker.port, options)
            try gateway.waitForLog(#""message":"MQTT connected""#)
            broker.kill()
            try gateway.waitForLog(#""level":"warning""#)
            try gateway.end()
            for line in gateway.process.lines {
                let data = Data(line.utf8)
                let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
                #expect(object?["priority"] is Int, "\(line)")
                #expect(object?["level"] is String, "\(line)")
                #expect(object?["message"] is String, "\(line)")
            }
        }
    }
}

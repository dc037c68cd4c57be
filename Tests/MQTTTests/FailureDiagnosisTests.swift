import Posix
import Testing

@testable import MQTT

@Suite("FailureDiagnosis")
struct FailureDiagnosisTests {
    private static let none = Errno(rawValue: 0)
    private static let withoutClient = TLSSettings(caFile: "ca.pem")
    private static let withClient = TLSSettings(
        caFile: "ca.pem", client: .init(certFile: "c.pem", keyFile: "k.pem"))
    private static let verifyFailed =
        "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"

    private static func alert(_ words: String) -> [String] {
        ["OpenSSL Error[0]: error:0A000418:SSL routines::\(words)"]
    }

    @Test(
        "the library's error lines distinguish TLS failures",
        arguments: [
            (
                [verifyFailed], "certificate has expired", withoutClient,
                TLSFailure.certificateNotAccepted("certificate has expired")
            ),
            (
                ["Error: host name verification failed.", verifyFailed], "unspecified",
                withoutClient,
                .hostNameMismatch
            ),
            (
                alert("tlsv13 alert certificate required"), nil, withoutClient,
                .clientCertificateRequired
            ),
            (
                alert("sslv3 alert handshake failure"), nil, withoutClient,
                .clientCertificateRequired
            ),
            (
                alert("tlsv1 alert unknown ca"), nil, withClient,
                .clientCertificateRejected("tlsv1 alert unknown ca")
            ),
            (alert("wrong version number"), nil, withoutClient, .notTLS),
            (alert("tlsv1 alert protocol version"), nil, withClient, .notTLS),
            (
                alert("unexpected eof while reading"), nil, withoutClient,
                .cutOff("unexpected eof while reading")
            ),
            ([], nil, withoutClient, .cutOff("")),
        ] as [([String], String?, TLSSettings, TLSFailure)])
    func tls(errorLines: [String], fault: String?, tls: TLSSettings, failure: TLSFailure) {
        let diagnosis = FailureDiagnosis(
            code: .tls, errno: Self.none, wasConnected: false, tls: tls, errorLines: errorLines,
            certificateFault: fault)
        #expect(diagnosis.cause == .tls(failure))
    }

    @Test("an alert that the library swallowed is still a TLS failure")
    func swallowedAlert() {
        let diagnosis = FailureDiagnosis(
            code: .systemError, errno: .protocolError, wasConnected: false,
            tls: Self.withoutClient)
        #expect(diagnosis.cause == .tls(.cutOff("")))
    }

    @Test("the error of connecting outranks what followed from it")
    func connectError() {
        let diagnosis = FailureDiagnosis(
            code: .tls, errno: .brokenPipe, wasConnected: false, tls: Self.withoutClient,
            connectError: .connectionRefused)
        #expect(diagnosis.cause == .unreachable(.connectionRefused))
    }

    @Test("a key that does not fit its certificate is named, with OpenSSL's words")
    func keyFile() {
        let diagnosis = FailureDiagnosis(
            code: .tls, errno: Self.none, wasConnected: false, tls: Self.withClient,
            errorLines: [
                "Error: Unable to load client key file \"k.pem\".",
                "OpenSSL Error[0]: error:05800074:x509 certificate routines::key values mismatch",
            ])
        #expect(
            diagnosis.cause
                == .configuration(
                    "Unable to load client key file \"k.pem\". (key values mismatch)"))
    }

    @Test(
        "without TLS, the library's result and whether we were let in decide",
        arguments: [
            (ResultCode.connectionLost, none, false, ConnectionFailure.Cause.closedUnanswered),
            (.connectionLost, .connectionReset, true, .lost(.connectionReset)),
            (.connectionLost, none, true, .lost(nil)),
            (.systemError, .connectionReset, false, .closedUnanswered),
            (.systemError, .timedOut, false, .unreachable(.timedOut)),
            (.systemError, .timedOut, true, .lost(.timedOut)),
            (.lookupFailed, none, false, .hostNotFound), (.keepAlive, none, true, .silent),
            (.keepAlive, none, false, .silent), (.protocolError, none, true, .invalidPacket),
            (.malformedPacket, none, false, .protocolViolation),
            (ResultCode(rawValue: 1), none, false, .library(1, none)),
        ])
    func plain(code: ResultCode, errno: Errno, wasConnected: Bool, cause: ConnectionFailure.Cause) {
        let diagnosis = FailureDiagnosis(code: code, errno: errno, wasConnected: wasConnected)
        #expect(diagnosis.cause == cause)
    }
}

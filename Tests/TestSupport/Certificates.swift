import Foundation

/// A new certification authority, and certificates signed by it.
package struct Certificates: Sendable {
    private let folder: TemporaryFolder
    private let name: String
    private let days: Int

    /// A certificate and its private key, as PEM files.
    package struct Pair: Sendable {
        package let certFile: String
        package let keyFile: String
    }

    /// - Parameter days: the validity of all certificates.
    package init(in folder: TemporaryFolder, name: String = "ca", days: Int = 400) throws {
        self.days = days
        self.folder = folder
        self.name = name
        try Tool.run(
            "openssl",
            ["req", "-x509"] + Self.newKey + [
                "-keyout", folder.file("\(name).key"), "-out", caFile, "-days", "\(days)",
                "-subj", "/CN=\(name)",
            ])
    }

    package var caFile: String { folder.file("\(name).crt") }

    /// A broker's certificate for the given names.
    package func server(_ names: [String]) throws -> Pair {
        try sign("server", "subjectAltName=" + names.joined(separator: ","))
    }

    /// An expired broker's certificate.
    package func expiredServer(_ names: [String]) throws -> Pair {
        let fields = "subjectAltName=" + names.joined(separator: ",")
        do {
            // OpenSSL 3.4 and later have these options; newer versions refuse a negative number of
            // days.
            let dates = ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]
            return try sign("server", fields, validity: dates)
        } catch {
            return try sign("server", fields, validity: ["-days", "-1"])
        }
    }

    /// A client's certificate.
    package func client() throws -> Pair {
        try sign("client", "extendedKeyUsage=clientAuth")
    }

    private func sign(_ subject: String, _ fields: String, validity: [String]? = nil)
        throws -> Pair
    {
        let file = "\(name)-\(subject)-\(UUID().uuidString.prefix(8))"
        let pair = Pair(certFile: folder.file(file + ".crt"), keyFile: folder.file(file + ".key"))
        let request = folder.file(file + ".csr")
        try folder.write(fields + "\n", to: file + ".ext")
        try Tool.run(
            "openssl",
            ["req"] + Self.newKey + [
                "-keyout", pair.keyFile, "-out", request, "-subj", "/CN=\(subject)",
            ])
        try Tool.run(
            "openssl",
            [
                "x509", "-req", "-in", request, "-CA", caFile, "-CAkey", folder.file("\(name).key"),
                "-CAcreateserial", "-out", pair.certFile,
                "-extfile", folder.file(file + ".ext"),
            ] + (validity ?? ["-days", "\(days)"]))
        return pair
    }

    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
    ]
}

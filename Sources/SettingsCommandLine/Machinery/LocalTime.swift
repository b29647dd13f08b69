#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Times in the time zone of the machine, with their offset from UTC.
package enum LocalTime {
    /// `2026-11-22T22:41:24.123+01:00`.
    package static func text(secondsSince1970 time: Double) -> String {
        let seconds = time.rounded(.down)
        guard abs(seconds) < 1e12 else { return "at an unknown time" }
        var clock = time_t(seconds)
        var parts = tm()
        guard localtime_r(&clock, &parts) != nil else { return "at an unknown time" }
        let milliseconds = Int((time - seconds) * 1_000)
        let offset = abs(parts.tm_gmtoff) / 60
        let day =
            "\(digits(Int(parts.tm_year) + 1_900, 4))-\(digits(Int(parts.tm_mon) + 1))-\(digits(Int(parts.tm_mday)))"
        let hour = "\(digits(Int(parts.tm_hour))):\(digits(Int(parts.tm_min))):\(digits(Int(parts.tm_sec)))"
        let zone = (parts.tm_gmtoff < 0 ? "-" : "+") + "\(digits(offset / 60)):\(digits(offset % 60))"
        return "\(day)T\(hour).\(digits(milliseconds, 3))\(zone)"
    }

    private static func digits(_ number: Int, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}

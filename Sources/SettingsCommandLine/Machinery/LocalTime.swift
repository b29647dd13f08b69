import SettingsKit

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
        let (offset, milliseconds) = (Int64(parts.tm_gmtoff), Int((time - seconds) * 1_000))
        guard let local = CivilTime(secondsSince1970: Int64(seconds) + offset).text,
            let distance = CivilTime(secondsSince1970: abs(offset)).text?.dropFirst("1970-01-01T".count)
        else { return "at an unknown time" }
        let fraction = String(1_000 + milliseconds).dropFirst()
        return "\(local).\(fraction)\(offset < 0 ? "-" : "+")\(distance.dropLast(":00".count))"
    }
}

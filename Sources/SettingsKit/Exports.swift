@_exported import SettingsKitCore
@_exported import SettingsKitFiles
@_exported import SettingsKitPlatform

// On Linux, the module needs all of Foundation, and is imported where it is used.
#if canImport(Darwin)
    @_exported import SettingsKitUserDefaults
#endif

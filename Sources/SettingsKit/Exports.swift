@_exported import SettingsKitCore
@_exported import SettingsKitEssentials
@_exported import SettingsKitFiles
@_exported import SettingsKitPlatform
@_exported import SettingsKitUserDefaults

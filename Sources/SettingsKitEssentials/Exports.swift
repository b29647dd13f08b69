@_exported import SettingsKitCore
@_exported import SettingsKitFiles
@_exported import SettingsKitPlatform

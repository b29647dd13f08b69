@_exported import SettingsCore
@_exported import SettingsFiles

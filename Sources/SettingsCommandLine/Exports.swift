@_exported import SettingsKit

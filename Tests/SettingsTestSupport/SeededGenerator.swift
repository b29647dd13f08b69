@_exported import struct SettingsTestKit.SeededGenerator

import Foundation
import SettingsCommandLine

exit(SettingsTool().run(SettingsTool.processArguments))

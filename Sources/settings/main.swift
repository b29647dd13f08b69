import Foundation
import SettingsKitTool

exit(SettingsTool().run(SettingsTool.processArguments))

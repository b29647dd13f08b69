import Foundation
import SettingsEtcd
import SettingsKit

// The snippets of the articles of SettingsEtcd, as they are shown there. `.ci/docs` compares them.

func openFleet() throws -> SettingsService {
    var options = EtcdStore.Options()
    options.security = .init(
        authority: "/etc/fleet/ca.pem",
        identity: .init(
            certificate: "/etc/fleet/client.pem",
            key: "/etc/fleet/client.key"))
    let store = try EtcdStore(
        endpoints: [
            "https://etcd-1:2379", "https://etcd-2:2379",
            "https://etcd-3:2379",
        ],
        prefix: "fleet/player/", options: options)
    return SettingsService(
        storesForCustomScopes: [.custom(id: "fleet"): store])
}

func openFleetWithUser(_ password: String) throws -> EtcdStore {
    var options = EtcdStore.Options()
    options.credentials = .init(user: "player", password: password)
    options.patience = .seconds(3)
    return try EtcdStore(
        endpoints: ["https://etcd-1:2379", "https://etcd-2:2379"],
        prefix: "fleet/player/", options: options)
}

func openMachine(over fleet: EtcdStore) throws -> SettingsService {
    SettingsService(
        defaults: try LayeredStore([
            .environment(prefix: "PLAYER_"),
            .writable(try PropertyListStore.standard()),
            .fallback(fleet, name: "fleet"),
        ]))
}

func announce(_ address: String, endpoints: [String]) throws -> EtcdStore {
    var options = EtcdStore.Options()
    options.expiring = .seconds(10)
    let members = try EtcdStore(
        endpoints: endpoints, prefix: "fleet/members/", options: options)
    let settings = SettingsService(
        storesForCustomScopes: [.custom(id: "members"): members])
    let player = Setting<String>(
        "player-7", in: .custom(id: "members"), default: "")
    try settings.save(player, to: address)
    return members
}

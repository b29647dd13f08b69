print("Vault")

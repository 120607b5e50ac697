"""The subcommands of the `numerics` command, one module each."""

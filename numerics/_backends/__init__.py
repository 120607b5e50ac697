"""Backends: what runs where. Each module signs its table in to `numerics._core.backends`."""

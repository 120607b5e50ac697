"""The small centre that everything else signs in to: ops, layers, backends, shapes, errors."""

from __future__ import annotations

from . import call, config

__all__: list[str] = []

config.apply_environment()
del call, config

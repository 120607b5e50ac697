"""Packages that somebody else may import, and what we do then. We never import them ourselves."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["on_import"]


class _Watch(MetaPathFinder):
    """Finds one package as the finders behind it do, and follows its import."""

    def __init__(self, package: str, follower: str) -> None:
        self.package = package
        self.follower = follower

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.package:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _FollowedLoader(spec.loader, self)
                return spec
        return None

    def has_arrived(self) -> None:
        """Stop watching, and import the follower."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        _import_follower(self.follower)


class _FollowedLoader(Loader):
    """Loads as another does, and tells the watch."""

    def __init__(self, loader: Loader, watch: _Watch) -> None:
        self.loader = loader
        self.watch = watch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module shall look as if nobody had watched.
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.watch.has_arrived()


def _import_follower(follower: str) -> None:
    with suppress(ImportError):  # of a release that lacks what we need: it works without us
        import_module(follower)


def on_import(package: str, follower: str) -> None:
    """Import the module `follower` once `package`, a top-level name, is imported, or now if it is.

    Parameters
    ----------
    package : str
        Name of a package that need not be installed.
    follower : str
        Full name of a module of ours that imports `package`.
    """
    if package in sys.modules:
        _import_follower(follower)
    else:
        sys.meta_path.insert(0, _Watch(package, follower))

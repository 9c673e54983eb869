"""Changes a module when the engine imports it, and not before: a plug-in that imported engine modules itself would cost
start-up time, and could start CUDA where the engine must not."""
import importlib.abc
import importlib.util
import sys


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, then):
        self._loader, self._then = loader, then

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        self._then(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self):
        self.waiting = {}
        self._looking = False

    def find_spec(self, name, path=None, target=None):
        if self._looking or name not in self.waiting:
            return None
        self._looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self.waiting.pop(name))
        return spec


_finder = _Finder()


def when_imported(name, then):
    """then(module) now if it is there, else when it is imported."""
    if name in sys.modules:
        then(sys.modules[name])
        return
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    _finder.waiting[name] = then

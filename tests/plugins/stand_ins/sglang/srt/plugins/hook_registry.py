"""Stand-in for SGLang's registry of hooks: `around` hooks alone."""
import enum
import importlib


class HookType(enum.Enum):
    AROUND = "around"


class HookRegistry:
    hooks = []

    @classmethod
    def register(cls, target, hook, hook_type):
        assert hook_type is HookType.AROUND
        cls.hooks.append((target, hook))

    @classmethod
    def apply_hooks(cls):
        for target, hook in cls.hooks:
            path, method = target.rsplit(".", 1)
            module, owner = path.rsplit(".", 1)
            owner = getattr(importlib.import_module(module), owner)
            setattr(owner, method, _around(getattr(owner, method), hook))


def _around(original, hook):
    def changed(*args, **kwargs):
        return hook(original, *args, **kwargs)

    return changed

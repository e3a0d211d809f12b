"""A kernel as Python calls it: ``kernel[grid, block](…)`` and ``kernel.forall(n)(…)``."""

import inspect
from typing import Any, final

from mirgpu.runtime import config
from mirgpu.runtime.arguments import Memory, bind, visible_params
from mirgpu.runtime.borrows import check_borrows
from mirgpu.runtime.config import LaunchConfig
from mirgpu.runtime.devices.base import DeviceModule
from mirgpu.runtime.errors import LaunchTypeError
from mirgpu.runtime.manifest import KernelInfo, ParamKind


@final
class Kernel:
    """One kernel of a module.

    ``kernel[grid, block, stream, shared_bytes](…)``: grid and block are numbers or tuples.
    ``kernel.forall(n)(…)`` or ``forall((nx, ny))``: a grid with at least that many threads.
    ``info`` is its entry in the manifest.
    """

    def __init__(self, info: KernelInfo, module: DeviceModule) -> None:
        self.info = info
        self._module = module
        self.__name__ = info.name
        self.__doc__ = _documentation(info)
        self.__signature__ = _signature(info)

    def __getitem__(self, key: Any) -> "Launcher":
        """A launch of ``[grid, block]``, ``[grid, block, stream, shared_bytes]``."""
        parts = key if isinstance(key, tuple) else (key,)
        if not 2 <= len(parts) <= 4:
            raise LaunchTypeError(
                "MG0508",
                f"{self.info.name}[…] takes grid and block, and optionally stream and "
                f"shared_bytes; got {len(parts)} of them",
                helps=(f"{self.info.name}[blocks, threads](…), or {self.info.name}.forall(n)(…)",),
            )
        return Launcher(self.info, config.explicit(self.info, *parts), self._module)

    def forall(
        self, n: Any, *, block: Any = None, stream: Any = None, shared_bytes: int = 0
    ) -> "Launcher":
        """A launch with at least ``n`` threads, a number or one for each axis.

        A plain kernel's body runs for exactly ``n`` indices; other kernels also get the
        threads that fill the last block.  ``block`` is 256, 16×16 or 8×8×4 unless given.
        """
        launch = config.forall(self.info, n, block, stream, shared_bytes)
        return Launcher(self.info, launch, self._module)

    def __call__(self, *args: object, **kwargs: object) -> None:
        """Refuse: a launch needs a grid."""
        raise LaunchTypeError(
            "MG0508",
            f"{self.info.name} needs to know how many threads to run",
            helps=(f"{self.info.name}[blocks, threads](…), or {self.info.name}.forall(n)(…)",),
        )

    def __repr__(self) -> str:
        return f"<kernel {rust_signature(self.info)}>"


@final
class Launcher:
    """A kernel with its grid: call it with the arguments."""

    def __init__(self, info: KernelInfo, launch: LaunchConfig, module: DeviceModule) -> None:
        self._info = info
        self.config = launch
        self._module = module

    def __call__(self, *args: object, **kwargs: object) -> None:
        """Check the arguments against the Rust signature and launch.

        Raises ``LaunchError`` before anything runs, ``KernelPanic`` after.
        """
        bound = bind(self._info, args, kwargs)
        check_borrows(self._info, [b for b in bound if isinstance(b, Memory)])
        self._module.launch(self._info, self.config, bound)

    def __repr__(self) -> str:
        return f"<launch of {self._info.name}, grid {self.config.grid}, block {self.config.block}>"


def rust_signature(info: KernelInfo) -> str:
    """``fn saxpy(i: usize, a: f32, x: &[f32], y: &mut [f32])``."""
    params = (p for p in info.params if p.kind is not ParamKind.EXTENT)
    return f"fn {info.name}({', '.join(f'{p.name}: {p.rust_type}' for p in params)})"


def _documentation(info: KernelInfo) -> str:
    lines = [rust_signature(info)]
    indices = [p.name for p in info.params if p.kind is ParamKind.INDEX]
    if indices:
        lines.append(f"Bound to the global thread index: {', '.join(indices)}.")
    if info.file is not None:
        lines.append(f"Defined at {info.file}:{info.line}.")
    return "\n".join(lines)


def _signature(info: KernelInfo) -> inspect.Signature:
    return inspect.Signature(
        [
            inspect.Parameter(
                param.name if param.name.isidentifier() else f"arg{n}",
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                annotation=param.rust_type,
            )
            for n, param in enumerate(visible_params(info))
        ]
    )

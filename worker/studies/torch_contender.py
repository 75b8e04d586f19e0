"""A population of PyTorch twins: one module per member, or all members vectorized by hand."""

import shutil
from typing import Any

from phylon.worker.studies.contender import NotApplicable, Task
from phylon.worker.studies.workload import algorithm_spec, synthetic_data

try:
    import torch
except ImportError:
    torch = None


class TorchContender:
    note: str | None = None

    def __init__(self, task: Task) -> None:
        if torch is None:
            raise NotApplicable("PyTorch is not installed here; run: pip install 'phylon[torch]'")
        cell = task.cell
        if cell.compiled and task.device == "cpu" and not (shutil.which("g++") or shutil.which("clang++")):
            raise NotApplicable("torch.compile needs a C++ compiler for the CPU, and there is none on PATH")
        self._torch: Any = torch
        self._device = self._torch.device("cuda" if task.device == "gpu" else "cpu")
        self._torch.set_num_threads(len(task.cores))
        self._torch.manual_seed(0)
        self._is_compiled = cell.compiled
        from phylon.worker.studies.torch_twins import build_twin

        spec, data = algorithm_spec(cell), synthetic_data(cell, task.members)
        if cell.strategy == "vectorized":
            twins = [build_twin(spec, task.members, self._device, cell.compiled)]
            shares = [data]
        else:
            twins = [build_twin(spec, None, self._device, cell.compiled) for _ in range(task.members)]
            shares = [type(data)(*(field[slot : slot + 1] for field in data)) for slot in range(task.members)]
        self._work = [(twin, twin.arrange(share)) for twin, share in zip(twins, shares, strict=True)]
        self._has_worked = False

    def call(self) -> None:
        try:
            for twin, data in self._work:
                twin.learn(data)
        except Exception as error:
            if self._is_compiled and not self._has_worked and not isinstance(error, self._torch.OutOfMemoryError):
                raise NotApplicable(f"torch.compile does not work here: {type(error).__name__}: {error}") from error
            raise
        if self._device.type == "cuda":
            self._torch.cuda.synchronize()
        self._has_worked = True

    def peak_memory_bytes(self) -> int | None:
        return self._torch.cuda.max_memory_allocated() if self._device.type == "cuda" else None

"""Kernels that are large, deep or empty."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from mirgpu.driver import Options, transpile
from mirgpu.runtime import load

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc here")

HEAD = "pub fn k(i: usize, x: &[u32], out: &mut [u32]) { "
MASK = 0xFFFF_FFFF


def run(tmp_path: Path, text: str, n: int = 3) -> list[int]:
    """``out`` after a run over ``x = [1, 2, …]``; the PTX is made as well."""
    source = tmp_path / "kernel.rs"
    source.write_text(text)
    transpile(source, Options(target="ptx"))
    out = np.zeros(n, np.uint32)
    load(source, device="interp").k.forall(n)(np.arange(1, n + 1, dtype=np.uint32), out)
    return [int(v) for v in out]


def test_statements(tmp_path: Path) -> None:
    body = "".join(f"a = a.wrapping_mul({n | 1}) ^ {n};\n" for n in range(2000))
    want = []
    for a in (1, 2, 3):
        for n in range(2000):
            a = (a * (n | 1) & MASK) ^ n
        want.append(a)
    assert run(tmp_path, f"{HEAD} let mut a = x[i];\n{body} out[i] = a; }}") == want


def test_locals(tmp_path: Path) -> None:
    lets = "".join(f"let v{n} = x[(i + {n}) % x.len()] + {n};\n" for n in range(300))
    sums = " ^ ".join(f"v{n}" for n in range(300))
    want = [0, 0, 0]
    for i in range(3):
        for n in range(300):
            want[i] ^= (i + n) % 3 + 1 + n
    assert run(tmp_path, f"{HEAD}{lets} out[i] = {sums}; }}") == want


def test_nested_ifs(tmp_path: Path) -> None:
    ifs = "".join(f"if a != {n + 7} {{ a += {n};\n" for n in range(100))
    want = []
    for a in (1, 2, 3):
        for n in range(100):
            if a == n + 7:
                break
            a += n
        want.append(a)
    assert run(tmp_path, f"{HEAD} let mut a = x[i]; {ifs}{'}' * 100} out[i] = a; }}") == want


def test_large_table(tmp_path: Path) -> None:
    values = [n * 2654435761 & MASK for n in range(10_000)]
    table = f"const T: [u32; 10000] = {values};\n"
    want = [values[v * 3333] for v in (0, 1, 2)]
    assert run(tmp_path, f"{table}{HEAD} out[i] = T[(x[i] as usize - 1) * 3333]; }}") == want


def test_zero_sized_parameters(tmp_path: Path) -> None:
    text = (
        "#[derive(Clone, Copy)] pub struct E;\n"
        "pub fn k(i: usize, _e: E, _u: (), x: &[u32], _a: [u32; 0], out: &mut [u32]) "
        "{ out[i] = x[i]; }"
    )
    assert run(tmp_path, text) == [1, 2, 3]


def test_nothing_to_do(tmp_path: Path) -> None:
    assert run(tmp_path, f"{HEAD} out[i] = x[i]; }}", 0) == []


def test_one_name_in_two_modules(tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    kernel = "pub fn k(i: usize, out: &mut [u32]) { out[i] = NUMBER; }"
    source.write_text(
        "".join(f"pub mod m{n} {{ {kernel.replace('NUMBER', str(n))} }}\n" for n in (1, 2))
    )
    module = load(source, device="interp")
    with pytest.raises(AttributeError, match="ambiguous"):
        module.k  # noqa: B018
    for n in (1, 2):
        out = np.zeros(1, np.uint32)
        module.kernel(f"m{n}::k").forall(1)(out)
        assert out[0] == n

"""Panic messages read as Rust's own."""

import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from mirgpu.runtime.rust_format import format_message, format_scalar

ORACLE = """
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    for line in text.lines() {
        let (kind, bits) = line.split_once(' ').unwrap();
        let bits: u64 = bits.parse().unwrap();
        match kind {
            "f32" => { let v = f32::from_bits(bits as u32); println!("{v}|{v:?}") }
            "f64" => { let v = f64::from_bits(bits); println!("{v}|{v:?}") }
            "i16" => { let v = bits as i16; println!("{v}|{v:x}|{v:X}") }
            "char" => { let v = char::from_u32(bits as u32).unwrap(); println!("{v:?}") }
            _ => unreachable!(),
        }
    }
}
"""


def f32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def f64(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


@pytest.mark.parametrize(
    ("kind", "trait", "bits", "text"),
    [
        ("u8", "display", 255, "255"),
        ("i8", "display", 255, "-1"),
        ("i8", "lower_hex", 255, "ff"),
        ("i64", "debug", 1 << 63, "-9223372036854775808"),
        ("usize", "display", (1 << 64) - 1, "18446744073709551615"),
        ("u32", "upper_hex", 0xBEEF, "BEEF"),
        ("u8", "display", 0x1FF, "255"),
        ("bool", "display", 1, "true"),
        ("bool", "debug", 0, "false"),
        ("char", "display", ord("é"), "é"),
        ("char", "debug", ord("'"), "'\\''"),
        ("char", "debug", ord('"'), "'\"'"),
        ("char", "debug", 0x301, "'\\u{301}'"),
        ("f32", "display", f32(1.0), "1"),
        ("f32", "debug", f32(1.0), "1.0"),
        ("f32", "display", f32(0.1), "0.1"),
        ("f32", "display", f32(-0.0), "-0"),
        ("f32", "debug", f32(-0.0), "-0.0"),
        ("f32", "display", f32(1e20), "100000000000000000000"),
        ("f32", "debug", f32(1e20), "1e20"),
        ("f32", "debug", f32(1.5e-7), "1.5e-7"),
        ("f32", "display", 0x7FC00000, "NaN"),
        ("f32", "debug", 0xFF800000, "-inf"),
        ("f32", "debug", f32(1e-4), "0.0001"),
        ("f64", "debug", f64(1e16), "1e16"),
        ("f64", "display", f64(1e-300), "0." + "0" * 299 + "1"),
        ("f64", "display", f64(123456.789), "123456.789"),
    ],
)
def test_scalars(kind: str, trait: str, bits: int, text: str) -> None:
    assert format_scalar(kind, trait, bits) == text


def test_what_has_no_format() -> None:
    with pytest.raises(ValueError, match="f32 has no format lower_hex"):
        format_scalar("f32", "lower_hex", 0)
    with pytest.raises(ValueError, match="u128"):
        format_scalar("u128", "display", 0)


def test_message() -> None:
    assert format_message("{{{0}}} of {1}, {0}", ("3", "4")) == "{3} of 4, 3"


def test_as_rustc_formats(tmp_path: Path) -> None:
    if shutil.which("rustc") is None:
        pytest.skip("no rustc here")
    (tmp_path / "oracle.rs").write_text(ORACLE)
    subprocess.run(["rustc", "-O", "oracle.rs"], cwd=tmp_path, check=True, capture_output=True)
    rng = random.Random(5)
    cases = [("f32", exponent << 23) for exponent in range(256)]
    cases += [("f32", rng.getrandbits(32)) for _ in range(3000)]
    cases += [("f64", exponent << 52) for exponent in range(0, 2048, 7)]
    cases += [("f64", rng.getrandbits(64)) for _ in range(1000)]
    cases += [("f64", f64(rng.getrandbits(53) * 2.0 ** -rng.randrange(1, 60))) for _ in range(3000)]
    cases += [("f32", f32(v)) for v in (1e16, 9.9e15, 1e-4, 9.999e-5, 16777216.0)]
    cases += [("i16", rng.getrandbits(16)) for _ in range(100)]
    cases += [("char", code) for code in range(0x250)]
    done = subprocess.run(
        [tmp_path / "oracle"],
        input="\n".join(f"{kind} {bits}" for kind, bits in cases),
        capture_output=True,
        text=True,
        check=True,
    )
    traits = {
        "f32": ("display", "debug"),
        "f64": ("display", "debug"),
        "i16": ("display", "lower_hex", "upper_hex"),
        "char": ("debug",),
    }
    ours = ["|".join(format_scalar(k, t, bits) for t in traits[k]) for k, bits in cases]
    # A char may be printed raw, a line break among them never.
    assert ours == done.stdout.split("\n")[:-1]

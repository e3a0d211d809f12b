#!/bin/sh
# Dumps the Rust files of this folder again; needs rustc 1.95 (RUSTC) and 1.97 nightly (NIGHTLY).
set -eu
cd "$(dirname "$0")"
RUSTC=${RUSTC:-rustc}
NIGHTLY=${NIGHTLY:-rustc +nightly}
export RUSTC_BOOTSTRAP=1
lib="--crate-type lib -Awarnings"
$RUSTC $lib --edition 2021 -Copt-level=0 -Zunpretty=mir shapes.rs > shapes.O0.mir
$RUSTC $lib --edition 2021 -Copt-level=3 -Zmir-opt-level=4 -Zinline-mir=yes -Cpanic=abort \
    -Ztrim-diagnostic-paths=no -Zmir-include-spans=on -Zunpretty=mir shapes.rs > shapes.spans.mir
$NIGHTLY $lib --edition 2024 -Copt-level=0 -Zunpretty=mir nightly.rs > nightly.O0.mir
$NIGHTLY $lib --edition 2021 -Copt-level=3 -Zunpretty=mir shapes.rs > shapes.O3.nightly.mir
phases=$(mktemp -d)
for name in places later opaque consts with_drop; do
    $RUSTC $lib --edition 2021 -Copt-level=0 --emit=metadata -o "$phases/x.rmeta" shapes.rs \
        -Zdump-mir="$name & built | $name & StateTransform | $name & nll" -Zdump-mir-dir="$phases"
done
for dump in "$phases"/*.mir; do
    cat "$dump"
    echo
done > phases.mir
$RUSTC $lib --edition 2021 -Copt-level=0 -Cinstrument-coverage -Zunpretty=mir coverage.rs > coverage.mir
rm -r "$phases"

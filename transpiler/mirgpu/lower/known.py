"""Library types whose shape is certain on every supported rustc, and the order of the
variants of its enums: what a dump alone does not say, and rustc need not be asked for."""

WRAPPERS = {
    "mem::MaybeUninit",
    "mem::maybe_uninit::MaybeUninit",
    "mem::ManuallyDrop",
    "mem::manually_drop::ManuallyDrop",
    "mem::MaybeDangling",
    "mem::maybe_dangling::MaybeDangling",
    "cell::UnsafeCell",
    "cell::SyncUnsafeCell",
    "cell::Cell",
    "num::Wrapping",
    "num::Saturating",
    "num::NonZero",
    "cmp::Reverse",
    "pin::Pin",
    "panic::AssertUnwindSafe",
}
"""Types with the layout of their one type argument, all fields at offset 0."""

POINTERS = {"ptr::NonNull", "ptr::non_null::NonNull", "ptr::Unique", "ptr::unique::Unique"}
"""Types with the layout of ``*const T``, all fields at offset 0."""

UNIONS = {"mem::MaybeUninit", "mem::maybe_uninit::MaybeUninit"}

INTERIOR = {
    "cell::UnsafeCell",
    "cell::SyncUnsafeCell",
    "cell::Cell",
    "cell::RefCell",
    "cell::OnceCell",
    "cell::LazyCell",
    "sync::Mutex",
    "sync::RwLock",
    "sync::Once",
    "sync::OnceLock",
}
"""Types with interior mutability; the atomics are named in ``is_interior``."""

ENUMS: dict[str, tuple[tuple[str, int, tuple[int, ...]], ...]] = {
    "option::Option": (("None", 0, ()), ("Some", 1, (0,))),
    "result::Result": (("Ok", 0, (0,)), ("Err", 1, (1,))),
    "ops::ControlFlow": (("Continue", 0, (1,)), ("Break", 1, (0,))),
    "cmp::Ordering": (("Less", -1, ()), ("Equal", 0, ()), ("Greater", 1, ())),
    "task::Poll": (("Ready", 0, (0,)), ("Pending", 1, ())),
    "ops::Bound": (("Included", 0, (0,)), ("Excluded", 1, (0,)), ("Unbounded", 2, ())),
    "num::FpCategory": tuple(
        (name, index, ())
        for index, name in enumerate(("Nan", "Infinite", "Zero", "Subnormal", "Normal"))
    ),
    "convert::Infallible": (),
    "panicking::AssertKind": (("Eq", 0, ()), ("Ne", 1, ()), ("Match", 2, ())),
}
"""Variants in order: name, discriminant, and which type argument each field has."""

ENUM_ARITY = {"option::Option": 1, "result::Result": 2, "ops::ControlFlow": 2, "task::Poll": 1}


def is_wrapper(key: str) -> bool:
    return key in WRAPPERS or key.startswith("num::niche_types::")


def is_interior(key: str) -> bool:
    return key in INTERIOR or key.startswith("sync::atomic::Atomic")

//! Memory that the threads of a block share.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::{Index, IndexMut};

/// An array in the shared memory of each block, as a static:
///
/// ```ignore
/// static mut TILE: SharedArray<f32, 256> = SharedArray::UNINIT;
/// ```
///
/// Every block has its own, uninitialised when the block starts. `ALIGN` is its least alignment
/// in bytes, a power of two up to 1024; 0 leaves it to `T`.
///
/// # Safety
///
/// Using it is `unsafe`, as any `static mut`: reading an element is only defined after some
/// thread has written it, and a thread sees what another one wrote only after
/// [`sync_threads`](crate::thread::sync_threads). Do not keep a reference to an element across a
/// barrier: index again.
#[repr(C)]
pub struct SharedArray<T, const N: usize, const ALIGN: usize = 0>
where
    Bytes<ALIGN>: Alignment,
{
    align: [<Bytes<ALIGN> as Alignment>::Unit; 0],
    data: UnsafeCell<MaybeUninit<[T; N]>>,
}

impl<T, const N: usize, const ALIGN: usize> SharedArray<T, N, ALIGN>
where
    Bytes<ALIGN>: Alignment,
{
    /// An array of uninitialised elements.
    #[allow(clippy::declare_interior_mutable_const)]
    pub const UNINIT: Self = SharedArray {
        align: [],
        data: UnsafeCell::new(MaybeUninit::uninit()),
    };

    /// A pointer to the first element.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *const T {
        self.data.get() as *const T
    }

    /// A pointer to the first element, to write through.
    #[inline(always)]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.data.get() as *mut T
    }

    /// The number of elements.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are no elements.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }
}

impl<T, const N: usize, const ALIGN: usize> Index<usize> for SharedArray<T, N, ALIGN>
where
    Bytes<ALIGN>: Alignment,
{
    type Output = T;

    /// The element, which must have been written. Panics if `index` is not below `N`.
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        // SAFETY: whoever uses the static vouches for the element.
        unsafe { &(*(self.data.get() as *const [T; N]))[index] }
    }
}

impl<T, const N: usize, const ALIGN: usize> IndexMut<usize> for SharedArray<T, N, ALIGN>
where
    Bytes<ALIGN>: Alignment,
{
    /// The element, to be written. Panics if `index` is not below `N`.
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        // SAFETY: whoever uses the static vouches for the element.
        unsafe { &mut (*(self.data.get() as *mut [T; N]))[index] }
    }
}

/// An alignment in bytes, as a type.
pub struct Bytes<const ALIGN: usize>(());

/// The alignments that there are: 0 (the element's own) and powers of two up to 1024.
pub trait Alignment {
    /// A type of that alignment.
    type Unit;
}

macro_rules! alignments {
    ($($bytes:literal $unit:ident;)*) => {$(
        #[doc = concat!("A unit of alignment ", stringify!($bytes), ".")]
        #[repr(align($bytes))]
        pub struct $unit(());

        impl Alignment for Bytes<$bytes> {
            type Unit = $unit;
        }
    )*};
}

impl Alignment for Bytes<0> {
    type Unit = ();
}

alignments! {
    1 Align1;
    2 Align2;
    4 Align4;
    8 Align8;
    16 Align16;
    32 Align32;
    64 Align64;
    128 Align128;
    256 Align256;
    512 Align512;
    1024 Align1024;
}

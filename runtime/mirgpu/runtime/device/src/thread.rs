//! Where a thread is in the grid, and waiting for the others of its block.

use core::marker::PhantomData;

macro_rules! coordinates {
    ($($(#[$doc:meta])* $name:ident = $field:ident . $axis:ident;)*) => {$(
        $(#[$doc])*
        #[allow(non_snake_case)]
        #[inline(never)]
        pub fn $name() -> u32 {
            #[cfg(feature = "host")]
            return crate::host::here().$field.$axis;
            #[cfg(not(feature = "host"))]
            only_on_a_device()
        }
    )*};
}

coordinates! {
    /// The thread's position in its block, in x.
    threadIdx_x = thread.x;
    /// The thread's position in its block, in y.
    threadIdx_y = thread.y;
    /// The thread's position in its block, in z.
    threadIdx_z = thread.z;
    /// The block's position in the grid, in x.
    blockIdx_x = block.x;
    /// The block's position in the grid, in y.
    blockIdx_y = block.y;
    /// The block's position in the grid, in z.
    blockIdx_z = block.z;
    /// Threads of a block in x.
    blockDim_x = block_size.x;
    /// Threads of a block in y.
    blockDim_y = block_size.y;
    /// Threads of a block in z.
    blockDim_z = block_size.z;
    /// Blocks of the grid in x.
    gridDim_x = grid_size.x;
    /// Blocks of the grid in y.
    gridDim_y = grid_size.y;
    /// Blocks of the grid in z.
    gridDim_z = grid_size.z;
}

/// Waits until every thread of the block that has not ended is here. What they wrote before is
/// then seen by all of them.
///
/// All threads of the block must reach the same call: a barrier in a branch that only some of
/// them take hangs the block.
#[inline(never)]
pub fn sync_threads() {
    #[cfg(feature = "host")]
    crate::host::sync();
    #[cfg(not(feature = "host"))]
    only_on_a_device()
}

#[cfg(not(feature = "host"))]
fn only_on_a_device() -> ! {
    panic!("this needs a GPU, or the feature `host` of the crate mirgpu")
}

/// The index space of a grid that is used along x only.
pub struct Index1D(());

/// An index that no other thread of the launch has, in the space `S`.
///
/// It cannot outlive the kernel, nor be sent to another thread.
pub struct ThreadIndex<'kernel, S = Index1D> {
    value: usize,
    space: PhantomData<(&'kernel (), *const S)>,
}

impl<S> ThreadIndex<'_, S> {
    /// The index.
    #[inline(always)]
    pub fn get(&self) -> usize {
        self.value
    }

    /// Whether it is an index of something with `len` elements.
    #[inline(always)]
    pub fn in_bounds(&self, len: usize) -> bool {
        self.value < len
    }
}

/// The thread's index in the whole grid, along x: `blockIdx_x · blockDim_x + threadIdx_x`.
///
/// Unique if the launch uses x only.
#[inline(always)]
pub fn index_1d<'kernel>() -> ThreadIndex<'kernel, Index1D> {
    let first = blockIdx_x() as usize * blockDim_x() as usize;
    ThreadIndex {
        value: first + threadIdx_x() as usize,
        space: PhantomData,
    }
}

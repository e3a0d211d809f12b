//! What a GPU kernel needs of its device: thread indices, barriers and shared memory.
//!
//! A kernel is a function marked [`macro@kernel`]. The transpiler replaces the functions of
//! [`thread`] by the device's own registers and instructions, and statics of type
//! [`SharedArray`] by shared memory. With the feature `host` the same source runs on the CPU:
//! see the module `host`.
//!
//! ```ignore
//! use mirgpu::{index_1d, kernel};
//!
//! #[kernel]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = index_1d().get();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//! ```

#![no_std]
#![warn(missing_docs)]

#[cfg(feature = "host")]
extern crate std;

#[cfg(feature = "host")]
pub mod host;
pub mod shared;
pub mod thread;

pub use mirgpu_macros::kernel;
#[doc(inline)]
pub use shared::SharedArray;
#[doc(inline)]
pub use thread::*;

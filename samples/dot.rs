//! Dot product: each thread sums a strided part, each block reduces its sums in shared memory.
//!
//! Launch with blocks of `BLOCK` threads; `partial` gets one sum a block, for the host (or a
//! second launch) to add up. The order of additions is fixed by the launch, so the result is
//! the same on every device.

use mirgpu::thread::{blockDim_x, blockIdx_x, gridDim_x, index_1d, sync_threads, threadIdx_x};
use mirgpu::SharedArray;

const BLOCK: usize = 128;

#[mirgpu::kernel]
pub fn dot(x: &[f32], y: &[f32], partial: &mut [f32]) {
    static mut SUMS: SharedArray<f32, BLOCK> = SharedArray::UNINIT;

    let t = threadIdx_x() as usize;
    let stride = (blockDim_x() * gridDim_x()) as usize;
    let mut sum = 0.0;
    let mut i = index_1d().get();
    while i < x.len() {
        sum += x[i] * y[i];
        i += stride;
    }

    // SAFETY: each thread writes only its own element between two barriers, and reads another
    // thread's element only in a step in which that thread writes none.
    unsafe {
        SUMS[t] = sum;
        sync_threads();
        let mut half = BLOCK / 2;
        while half > 0 {
            if t < half {
                SUMS[t] = SUMS[t] + SUMS[t + half];
            }
            sync_threads();
            half /= 2;
        }
        if t == 0 {
            partial[blockIdx_x() as usize] = SUMS[0];
        }
    }
}

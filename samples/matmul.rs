//! C = A·B for square row-major matrices, twice: each thread reading global memory alone, and
//! each block sharing 16×16 tiles. Any size works; both give the same bits, since both add the
//! products in the same order.

use mirgpu::thread::{
    blockDim_x, blockDim_y, blockIdx_x, blockIdx_y, sync_threads, threadIdx_x, threadIdx_y,
};
use mirgpu::SharedArray;

const TILE: usize = 16;

#[mirgpu::kernel]
pub fn matmul_naive(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let col = (blockIdx_x() * blockDim_x() + threadIdx_x()) as usize;
    let row = (blockIdx_y() * blockDim_y() + threadIdx_y()) as usize;
    if row < n && col < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[row * n + k] * b[k * n + col];
        }
        c[row * n + col] = sum;
    }
}

/// Launch with blocks of 16×16 threads.
#[mirgpu::kernel]
pub fn matmul_tiled(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    static mut TILE_A: SharedArray<f32, { TILE * TILE }> = SharedArray::UNINIT;
    static mut TILE_B: SharedArray<f32, { TILE * TILE }> = SharedArray::UNINIT;

    let (tx, ty) = (threadIdx_x() as usize, threadIdx_y() as usize);
    let col = blockIdx_x() as usize * TILE + tx;
    let row = blockIdx_y() as usize * TILE + ty;
    let mut sum = 0.0;
    let mut first = 0;
    while first < n {
        let (ka, kb) = (first + tx, first + ty);
        // SAFETY: each thread writes its own element of each tile before the barrier, and all
        // only read the tiles between the two barriers.
        unsafe {
            TILE_A[ty * TILE + tx] = if row < n && ka < n { a[row * n + ka] } else { 0.0 };
            TILE_B[ty * TILE + tx] = if kb < n && col < n { b[kb * n + col] } else { 0.0 };
            sync_threads();
            for k in 0..TILE.min(n - first) {
                sum += TILE_A[ty * TILE + k] * TILE_B[k * TILE + tx];
            }
            sync_threads();
        }
        first += TILE;
    }
    if row < n && col < n {
        c[row * n + col] = sum;
    }
}

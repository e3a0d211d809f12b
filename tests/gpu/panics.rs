//! Kernels that panic, for the checks on a GPU.

pub fn past_the_end(i: usize, x: &[f32], y: &mut [f32]) {
    y[i] = 2.0 * x[i + 4];
}

pub fn divide(i: usize, numbers: &mut [i32]) {
    numbers[i] = 100 / numbers[i];
}

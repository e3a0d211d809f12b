//! y = a·x + y, the first kernel: a plain safe Rust function with no dependency.
//!
//! `i` is bound to the global thread index; threads past the end stop before the body.

pub fn saxpy(i: usize, a: f32, x: &[f32], y: &mut [f32]) {
    y[i] = a * x[i] + y[i];
}

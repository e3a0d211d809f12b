//! The Mandelbrot set as RGB pixels: two thread indices, `x` and `y` (`--index x,y`).
//!
//! `mandelbrot.py` runs it and writes a PNG.

const LIMIT: u32 = 256;

/// Steps until z = z² + c leaves the circle of radius 2, or none within `LIMIT`.
fn escape(cx: f64, cy: f64) -> Option<u32> {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..LIMIT {
        let (x2, y2) = (x * x, y * y);
        if x2 + y2 > 4.0 {
            return Some(step);
        }
        y = 2.0 * x * y + cy;
        x = x2 - y2 + cx;
    }
    None
}

fn colour(steps: u32) -> [u8; 3] {
    let t = steps.wrapping_mul(9);
    [t as u8, (t >> 1) as u8 ^ 0x40, 255 - t as u8]
}

pub fn mandelbrot(x: u32, y: u32, width: u32, height: u32, pixels: &mut [[u8; 3]]) {
    let scale = 3.0 / width as f64;
    let cx = x as f64 * scale - 2.25;
    let cy = (y as f64 - height as f64 / 2.0) * scale;
    pixels[(y * width + x) as usize] = match escape(cx, cy) {
        Some(steps) => colour(steps),
        None => [0, 0, 0],
    };
}

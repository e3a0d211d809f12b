//! A ray marcher: a scene of shapes as an enum, their distances by `match`, shading by normals.
//!
//! `raymarch.py` runs it and writes a PNG.

use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl Vec3 {
    fn new(x: f32, y: f32, z: f32) -> Vec3 {
        Vec3 { x, y, z }
    }

    fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    fn normalize(self) -> Vec3 {
        self * (1.0 / self.length())
    }
}

impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        Vec3::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, factor: f32) -> Vec3 {
        Vec3::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

#[derive(Clone, Copy)]
pub enum Shape {
    Sphere { centre: Vec3, radius: f32 },
    Box { centre: Vec3, half: Vec3 },
    Ground { height: f32 },
}

impl Shape {
    fn distance(&self, p: Vec3) -> f32 {
        match *self {
            Shape::Sphere { centre, radius } => (p - centre).length() - radius,
            Shape::Box { centre, half } => {
                let d = p - centre;
                let q = Vec3::new(d.x.abs() - half.x, d.y.abs() - half.y, d.z.abs() - half.z);
                let outside = Vec3::new(q.x.max(0.0), q.y.max(0.0), q.z.max(0.0)).length();
                outside + q.x.max(q.y).max(q.z).min(0.0)
            }
            Shape::Ground { height } => p.y - height,
        }
    }
}

/// Called in eight places: one copy keeps the kernel small.
#[inline(never)]
fn nearest(scene: &[Shape], p: Vec3) -> f32 {
    scene.iter().map(|shape| shape.distance(p)).fold(f32::INFINITY, f32::min)
}

/// The way along the ray to the first surface.
fn march(scene: &[Shape], origin: Vec3, direction: Vec3) -> Option<f32> {
    let mut t = 0.0;
    for _ in 0..96 {
        let d = nearest(scene, origin + direction * t);
        if d < 1e-3 {
            return Some(t);
        }
        t += d;
        if t > 50.0 {
            return None;
        }
    }
    None
}

fn normal(scene: &[Shape], p: Vec3) -> Vec3 {
    let e = 1e-3;
    let slope = |step: Vec3| nearest(scene, p + step) - nearest(scene, p - step);
    Vec3::new(slope(Vec3::new(e, 0.0, 0.0)), slope(Vec3::new(0.0, e, 0.0)), slope(Vec3::new(0.0, 0.0, e)))
        .normalize()
}

/// One grey pixel a thread, row by row.
pub fn raymarch(i: usize, width: usize, height: usize, scene: &[Shape], image: &mut [u8]) {
    let (px, py) = (i % width, i / width);
    let u = (px as f32 + 0.5) / width as f32 * 2.0 - 1.0;
    let v = 1.0 - (py as f32 + 0.5) / height as f32 * 2.0;
    let aspect = width as f32 / height as f32;
    let origin = Vec3::new(0.0, 1.0, -4.0);
    let direction = Vec3::new(u * aspect, v, 1.5).normalize();
    let light = Vec3::new(0.5, 0.8, -0.33);
    image[i] = match march(scene, origin, direction) {
        Some(t) => {
            let p = origin + direction * t;
            let n = normal(scene, p);
            let lit = match march(scene, p + n * 1e-2, light) {
                Some(_) => 0.0,
                None => n.dot(light).max(0.0),
            };
            (lit * 200.0 + 40.0) as u8
        }
        None => (20.0 + 30.0 * (v + 1.0)) as u8,
    };
}

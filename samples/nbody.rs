//! Gravity between all pairs of bodies: a `Vec3` with operator traits, and an iterator loop.

use std::ops::{Add, Mul, Sub};

#[derive(Clone, Copy)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl Vec3 {
    pub const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };

    fn dot(self, other: Vec3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Vec3 {
    type Output = Vec3;
    fn sub(self, other: Vec3) -> Vec3 {
        Vec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<f32> for Vec3 {
    type Output = Vec3;
    fn mul(self, factor: f32) -> Vec3 {
        Vec3 { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[derive(Clone, Copy)]
pub struct Body {
    pub position: Vec3,
    pub mass: f32,
}

const SOFTENING: f32 = 1e-4;

/// The acceleration of each body.
pub fn accelerate(i: usize, bodies: &[Body], acceleration: &mut [Vec3]) {
    let here = bodies[i].position;
    let mut sum = Vec3::ZERO;
    for body in bodies {
        let d = body.position - here;
        let r2 = d.dot(d) + SOFTENING;
        let inv = 1.0 / r2.sqrt();
        sum = sum + d * (body.mass * inv * inv * inv);
    }
    acceleration[i] = sum;
}

/// One step of time `dt`.
pub fn advance(i: usize, dt: f32, acceleration: &[Vec3], velocity: &mut [Vec3], bodies: &mut [Body]) {
    velocity[i] = velocity[i] + acceleration[i] * dt;
    bodies[i].position = bodies[i].position + velocity[i] * dt;
}

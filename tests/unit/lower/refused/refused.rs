//! One kernel a construct that is refused; `//~ CODE` marks the line told.

pub fn wide(i: usize, x: &mut [u64]) {
    let a = x[i] as u128 * 3; //~ MG0301
    x[i] = (a >> 64) as u64;
}

pub fn pointers(i: usize, x: &mut [u32]) {
    let f: fn(u32) -> u32 = if x[i] > 3 { twice } else { thrice }; //~ MG0304
    x[i] = f(x[i]);
}

#[inline(never)]
fn twice(a: u32) -> u32 {
    a * 2
}

#[inline(never)]
fn thrice(a: u32) -> u32 {
    a * 3
}

pub trait Shape {
    fn area(&self) -> u32;
}

impl Shape for u32 {
    #[inline(never)]
    fn area(&self) -> u32 {
        *self
    }
}

pub fn objects(i: usize, x: &mut [u32]) {
    let s: &dyn Shape = &x[i]; //~ MG0307
    x[i] = measure(s);
}

#[inline(never)]
fn measure(s: &dyn Shape) -> u32 {
    s.area()
}

pub fn recursion(i: usize, x: &mut [u32]) {
    x[i] = fib(x[i]);
}

#[inline(never)]
fn fib(n: u32) -> u32 { //~ MG0344
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

pub fn heap(i: usize, x: &mut [u32]) {
    let v: Vec<u32> = Vec::with_capacity(i); //~ MG0340
    x[i] = v.len() as u32;
}

pub struct Guard(u32);

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        self.0 = 0;
    }
}

#[inline(never)]
fn hold(g: &Guard) -> u32 {
    g.0
}

pub fn dropping(i: usize, x: &mut [u32]) {
    let g = Guard(x[i]);
    x[i] = hold(&g);
} //~ MG0342

static mut COUNTER: u32 = 0;

pub fn statics(i: usize, x: &mut [u32]) {
    unsafe {
        COUNTER += 1; //~ MG0314
        x[i] = COUNTER;
    }
}

pub fn assembly(i: usize, x: &mut [u64]) {
    unsafe {
        std::arch::asm!("nop"); //~ MG0343
    }
    x[i] = 1;
}

pub fn math(i: usize, x: &mut [f32]) {
    x[i] = x[i].sin(); //~ MG0309
}

pub fn several(i: usize, x: &mut [f64]) {
    x[i] = x[i].exp(); //~ MG0309
    x[i] = x[i].ln(); //~ MG0309
}

pub fn halves(i: usize, x: &[&dyn Shape], out: &mut [u32]) { //~ MG0307
    out[i] = x.len() as u32;
}

pub fn unreached(i: usize, x: &mut [u32]) {
    if std::mem::size_of::<usize>() == 4 {
        x[i] = measure(&x[0]);
    }
}

pub fn generic<T: Copy>(i: usize, x: &mut [T]) {
    x[i] = x[0];
}

pub fn valued(i: usize) -> usize {
    i
}

fn hidden(i: usize, x: &mut [u32]) {
    x[i] = 1;
}

pub fn unindexed(x: &mut [u32]) {
    x[0] = 1;
}

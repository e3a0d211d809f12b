//! Raw pointers, transmutes, MaybeUninit, unions.

use std::mem::{self, MaybeUninit};

pub fn raw(i: usize, x: *const u32, out: *mut u32) {
    unsafe {
        let p = x.add(i);
        let q = x.offset(i as isize / 2);
        *out.add(i) = (*p).wrapping_add(*q) ^ p.offset_from(q) as u32 ^ p.is_null() as u32;
    }
}

pub unsafe fn unsafe_kernel(i: usize, x: *const f32, out: *mut f32) {
    let v = *x.add(i);
    out.add(i).write(v * 2.0);
}

pub fn transmutes(i: usize, x: &[f32], y: &[u64], out: &mut [u64]) {
    unsafe {
        let a: u32 = mem::transmute(if x[i].is_nan() { 0.0 } else { x[i] });
        let b: [u8; 8] = mem::transmute(y[i]);
        let c: (u32, u32) = (mem::transmute([b[3], b[2], b[1], b[0]]), a);
        let d: i64 = mem::transmute([c.0, c.1]);
        let e: [u16; 4] = mem::transmute(d);
        let f: bool = mem::transmute(b[0] & 1);
        let g: char = mem::transmute(0x41 + (b[1] as u32 & 15));
        let h: std::cmp::Ordering = mem::transmute((b[2] % 3) as i8 - 1);
        out[i] = d as u64 ^ e[2] as u64 ^ (f as u64) << 50 ^ (g as u64) << 30 ^ (h as i8 as u64);
    }
}

pub fn uninit(i: usize, x: &[u32], out: &mut [u32]) {
    let mut a: [MaybeUninit<u32>; 4] = [MaybeUninit::uninit(); 4];
    for k in 0..3 { a[k].write(x[i].rotate_left(k as u32)); }
    let s = unsafe { a[0].assume_init() ^ a[2].assume_init() };
    let mut t = MaybeUninit::<(u8, u32)>::uninit();
    unsafe {
        (&raw mut (*t.as_mut_ptr()).1).write(s);
        (&raw mut (*t.as_mut_ptr()).0).write(7);
        let t = t.assume_init();
        out[i] = t.1 ^ t.0 as u32;
    }
}

pub fn copies(i: usize, x: &[u32], out: &mut [[u32; 4]]) {
    unsafe {
        let mut b = [0u32; 4];
        std::ptr::copy_nonoverlapping(x.as_ptr().add(i % 15), b.as_mut_ptr(), 4);
        std::ptr::copy(b.as_ptr(), b.as_mut_ptr().add(1), 3);
        std::ptr::swap(&mut b[0], &mut b[3]);
        b[2] = std::ptr::read(&b[1]);
        std::ptr::write(&mut b[1], 9);
        b[0] = std::ptr::replace(&mut b[3], x[0]);
        out[i] = b;
    }
}

pub fn unaligned(i: usize, x: &[u8], out: &mut [u32]) {
    unsafe {
        let p = x.as_ptr().add(i % 15);
        let v = (p as *const u32).read_unaligned();
        let mut b = [0u8; 7];
        (b.as_mut_ptr().add(1) as *mut u32).write_unaligned(v);
        out[i] = v ^ b[2] as u32;
    }
}

pub fn unchecked(i: usize, x: &[u32], out: &mut [u32]) {
    if i < 19 {
        unsafe { *out.get_unchecked_mut(i) = x.get_unchecked(i).unchecked_add(0) ^ *x.get_unchecked(18 - i); }
    }
}

pub fn from_parts(i: usize, x: &[u32], out: &mut [u32]) {
    let s = unsafe { std::slice::from_raw_parts(x.as_ptr().add(2), x.len() - 2) };
    let b = unsafe { std::slice::from_raw_parts(x.as_ptr() as *const u8, x.len() * 4) };
    out[i] = s[i] ^ b[i * 4 + 3] as u32;
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union Any { a: u64, b: f64, c: [u8; 8], d: (u32, u32), e: [u16; 4] }

pub fn unions(i: usize, x: &[u64], out: &mut [u64]) {
    let mut u = Any { a: x[i] };
    unsafe {
        u.c[3] = u.c[3].wrapping_add(1);
        u.e[3] ^= u.d.0 as u16;
        let Any { d: (p, q) } = u;
        out[i] = u.a ^ (p as u64) << 16 ^ q as u64;
    }
}

pub fn host_unions(i: usize, u: &[Any], out: &mut [u32]) {
    out[i] = unsafe { u[i].d.1 ^ u[i].c[0] as u32 };
}

pub fn assume(i: usize, x: &[u32], out: &mut [u32]) {
    let k = (x[i] & 15) as usize;
    unsafe {
        std::hint::assert_unchecked(k < 16);
        out[i] = match k { 0..=15 => k as u32 * 3, _ => std::hint::unreachable_unchecked() };
    }
}

pub fn pointer_compare(i: usize, x: &[u32], out: &mut [u32]) {
    let (p, q) = (&x[i] as *const u32, &x[3] as *const u32);
    out[i] = (p < q) as u32 | ((p == q) as u32) << 1 | (std::ptr::eq(p, q) as u32) << 2 | (((p as usize).wrapping_sub(q as usize)) as u32) << 3;
}

pub fn reborrow(i: usize, x: &mut [u32], y: &[u32]) {
    let p = &mut x[i];
    let q = p as *mut u32;
    unsafe { *q = (*q).wrapping_add(y[i]); }
    let r = unsafe { &mut *q };
    *r ^= 5;
    let s: &u32 = r;
    let t = *s;
    x[i] = t.rotate_left(3);
}

pub fn linked(i: usize, x: &[u32], out: &mut [u32]) {
    struct Node<'a> { v: u32, next: Option<&'a Node<'a>> }
    let a = Node { v: x[i], next: None };
    let b = Node { v: 3, next: Some(&a) };
    let c = Node { v: x[0], next: Some(&b) };
    let mut n = Some(&c);
    let mut h = 0u32;
    while let Some(k) = n { h = h.rotate_left(5) ^ k.v; n = k.next; }
    out[i] = h;
}

pub fn take_replace(i: usize, x: &[u32], out: &mut [u32]) {
    let mut a = (x[i], [1u8, 2]);
    let old = mem::replace(&mut a.1, [x[i] as u8, 9]);
    let t = mem::take(&mut a.0);
    out[i] = t ^ old[1] as u32 ^ a.1[0] as u32 ^ a.0 ^ mem::size_of_val(&a) as u32 ^ mem::align_of::<u64>() as u32;
}

pub fn cells(i: usize, x: &[u32], out: &mut [u32]) {
    use std::cell::Cell;
    let c = Cell::new(x[i]);
    let d = &c;
    c.set(d.get().wrapping_mul(3));
    let old = d.replace(7);
    out[i] = old ^ c.take() ^ c.get();
}

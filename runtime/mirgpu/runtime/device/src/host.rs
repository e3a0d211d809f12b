//! Runs kernels on the host, to compare a device with and to debug.
//!
//! [`launch`] gives each thread of a block an operating system thread, so that barriers work;
//! the blocks run one after another. [`launch_in_order`] runs kernels without barriers in a plain
//! loop, in an order of choice: a kernel that is right in one order only has a race.
//!
//! ```ignore
//! let y = SharedSlice::new(&mut y);
//! launch(blocks, 256, || double(unsafe { y.get() }));
//! ```

use core::cell::RefCell;
use core::marker::PhantomData;
use std::any::Any;
use std::boxed::Box;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::{Arc, Barrier, Condvar, Mutex, MutexGuard};
use std::thread::{Builder, Scope};
use std::vec::Vec;

/// A position or a size in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

impl Dim3 {
    fn count(self) -> usize {
        self.x as usize * self.y as usize * self.z as usize
    }

    /// The position with number `index` in a box of this size, x running fastest.
    fn at(self, index: usize) -> Dim3 {
        let (x, y) = (self.x as usize, self.y as usize);
        Dim3 {
            x: (index % x) as u32,
            y: (index / x % y) as u32,
            z: (index / x / y) as u32,
        }
    }
}

impl From<u32> for Dim3 {
    fn from(x: u32) -> Dim3 {
        Dim3 { x, y: 1, z: 1 }
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Dim3 {
        Dim3 { x, y, z: 1 }
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Dim3 {
        Dim3 { x, y, z }
    }
}

/// A `&mut` slice that all threads of a launch use at once, as a kernel's parameter is.
pub struct SharedSlice<'a, T> {
    start: *mut T,
    len: usize,
    owner: PhantomData<&'a mut [T]>,
}

// SAFETY: `get` leaves it to its caller that threads do not get into each other's way.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// Lends the slice to a launch.
    pub fn new(slice: &'a mut [T]) -> Self {
        SharedSlice {
            start: slice.as_mut_ptr(),
            len: slice.len(),
            owner: PhantomData,
        }
    }

    /// The slice, for one thread of the launch.
    ///
    /// # Safety
    ///
    /// No element may be used by two threads at once, unless all of them only read it.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn get(&self) -> &'a mut [T] {
        core::slice::from_raw_parts_mut(self.start, self.len)
    }
}

/// In which order [`launch_in_order`] runs the threads of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By block, then by thread, x running fastest.
    Ascending,
    /// The reverse.
    Descending,
    /// In an order that the seed decides.
    Shuffled(u64),
}

#[derive(Clone)]
pub(crate) struct Here {
    pub(crate) thread: Dim3,
    pub(crate) block: Dim3,
    pub(crate) block_size: Dim3,
    pub(crate) grid_size: Dim3,
    barrier: Option<Arc<BlockBarrier>>,
}

std::thread_local! {
    static HERE: RefCell<Option<Here>> = const { RefCell::new(None) };
}

pub(crate) fn here() -> Here {
    HERE.with(|here| here.borrow().clone())
        .expect("called outside of `mirgpu::host::launch`")
}

pub(crate) fn sync() {
    let here = here();
    match here.barrier {
        Some(barrier) => barrier.wait(),
        None if here.block_size.count() == 1 => {}
        None => panic!("this kernel has a barrier: run it with `mirgpu::host::launch`"),
    }
}

/// Runs `kernel` once for every thread of the grid, barriers included.
///
/// # Panics
///
/// With the panic of the first thread that panicked, after its block is through. Threads that
/// end, by a panic too, are not waited for at barriers.
pub fn launch(grid: impl Into<Dim3>, block: impl Into<Dim3>, kernel: impl Fn() + Sync) {
    let (grid_size, block_size) = (grid.into(), block.into());
    let (blocks, threads) = (grid_size.count(), block_size.count());
    if blocks == 0 || threads == 0 {
        return;
    }
    let barrier = Arc::new(BlockBarrier::new(threads));
    let between = Barrier::new(threads);
    let panics: Mutex<Vec<(usize, Box<dyn Any + Send>)>> = Mutex::new(Vec::new());
    let work = |number: usize| {
        for index in 0..blocks {
            let place = Here {
                thread: block_size.at(number),
                block: grid_size.at(index),
                block_size,
                grid_size,
                barrier: Some(barrier.clone()),
            };
            HERE.with(|here| *here.borrow_mut() = Some(place));
            if let Err(panic) = catch_unwind(AssertUnwindSafe(&kernel)) {
                lock(&panics).push((number, panic));
            }
            HERE.with(|here| *here.borrow_mut() = None);
            barrier.leave();
            if between.wait().is_leader() {
                barrier.reset(threads);
            }
            between.wait();
            if !lock(&panics).is_empty() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for number in 0..threads {
            spawn(scope, &work, number);
        }
    });
    let mut panics = lock(&panics);
    panics.sort_by_key(|(number, _)| *number);
    if !panics.is_empty() {
        resume_unwind(panics.swap_remove(0).1);
    }
}

fn spawn<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    work: &'env (impl Fn(usize) + Sync),
    number: usize,
) {
    Builder::new()
        .stack_size(1 << 20)
        .spawn_scoped(scope, move || work(number))
        .expect("a thread for each thread of a block");
}

/// Runs `kernel` once for every thread of the grid, one after the other.
///
/// # Panics
///
/// If the kernel panics, or waits at a barrier.
pub fn launch_in_order(
    grid: impl Into<Dim3>,
    block: impl Into<Dim3>,
    order: Order,
    mut kernel: impl FnMut(),
) {
    let (grid_size, block_size) = (grid.into(), block.into());
    let threads = block_size.count();
    let mut numbers: Vec<usize> = (0..grid_size.count() * threads).collect();
    match order {
        Order::Ascending => {}
        Order::Descending => numbers.reverse(),
        Order::Shuffled(seed) => shuffle(&mut numbers, seed),
    }
    for number in numbers {
        let place = Here {
            thread: block_size.at(number % threads),
            block: grid_size.at(number / threads),
            block_size,
            grid_size,
            barrier: None,
        };
        HERE.with(|here| *here.borrow_mut() = Some(place));
        let result = catch_unwind(AssertUnwindSafe(&mut kernel));
        HERE.with(|here| *here.borrow_mut() = None);
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    }
}

/// Fisher-Yates with splitmix64.
fn shuffle(numbers: &mut [usize], mut state: u64) {
    for last in (1..numbers.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        numbers.swap(last, ((bits ^ (bits >> 31)) % (last as u64 + 1)) as usize);
    }
}

/// Waits for the threads of a block that have not ended.
struct BlockBarrier {
    state: Mutex<State>,
    released: Condvar,
}

struct State {
    live: usize,
    arrived: usize,
    round: u64,
}

impl BlockBarrier {
    fn new(threads: usize) -> BlockBarrier {
        let state = State {
            live: threads,
            arrived: 0,
            round: 0,
        };
        BlockBarrier {
            state: Mutex::new(state),
            released: Condvar::new(),
        }
    }

    fn wait(&self) {
        let mut state = lock(&self.state);
        state.arrived += 1;
        let round = state.round;
        self.release_if_full(&mut state);
        while state.round == round {
            state = self
                .released
                .wait(state)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    fn leave(&self) {
        let mut state = lock(&self.state);
        state.live -= 1;
        self.release_if_full(&mut state);
    }

    fn release_if_full(&self, state: &mut State) {
        if state.arrived == state.live {
            state.arrived = 0;
            state.round += 1;
            self.released.notify_all();
        }
    }

    fn reset(&self, threads: usize) {
        lock(&self.state).live = threads;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

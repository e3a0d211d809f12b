"""Small pieces of MIR, by start symbol of the grammar: each is printed back as it stands.

They hold what no dump in ``data`` shows, older and rare forms above all.
"""

TYPES = """
bool
!
f128
usize
()
(u8,)
(u8, &'a mut [T])
[u8; 4]
[u8; _]
[u8; N]
[u8; N * 2]
[u8; { N + 1 }]
[u8; A.len()]
[[u8; { a[0] }]; f::<u8>()]
[u8; core::::num::{impl#9}::to_le_bytes::{constant#0}]
[u8; <T as Tr>::N]
&'static str
&'{erased} mut u8
&'?3 u8
*const [T]
*mut dyn std::any::Any
fn()
fn(u8, ...) -> i32
for<'a, 'b> unsafe extern "C" fn(&'a u8) -> &'b u8
fn(u8) -> u16 {a::b::<u8>}
fn() -> fn() {f}
fn() -> fn() {g} {f}
#[target_features] fn() {f}
fn() {<T as Tr>::m}
fn() {core::num::<impl u32>::pow}
dyn Fn(u8) -> u8
&(dyn A + 'a)
dyn for<'a> FnMut(&'a u8, ...)
(impl A + 'a)
impl ?Sized + !Unpin + (Copy) + for<'a> Tr<'a>
impl Fn(u32) -> u32
{closure@src/a b.rs:1:2: 3:4}
{closure@C:\\x\\l.rs:1:2: 3:4 (#7)}
{closure@core::iter::adapters::map::map_fold<&u8, {closure@l.rs:1:2: 3:4}>::{closure#0}}
{async closure@l.rs:1:2: 3:4}
{coroutine@l.rs:1:2: 3:4}
{static coroutine@l.rs:1:2: 3:4}
{gen closure@l.rs:1:2: 3:4}
{async gen closure@l.rs:1:2: 3:4}
{async block@l.rs:1:2: 3:4}
{gen block@l.rs:1:2: 3:4}
{async gen block@l.rs:1:2: 3:4}
{async closure body@l.rs:1:2: 3:4}
{gen closure body@l.rs:1:2: 3:4}
{async gen closure body@l.rs:1:2: 3:4}
{coroutine witness@l.rs:1:2: 3:4}
{async fn body of a::f<T>()}
{gen fn body of a::f()}
{async gen fn body of a::f()}
unsafe<'a, 'b> &'a T
(u32) is 1..
(u32) is 1..=10
(u32) is 1..=
(*const T) is !null
(u32) is (0..=3 | 5.. | !null)
...
std::vec::Vec<u8, A>
Foo<'_, T, 5, -3, true, 'c', "s", b"b">
Foo<P { x: 1, y: (2, Q(3)) }>
Foo<&"s">
Foo<&[1, 2]>
Foo<[1, 2]>
Foo<[7]>
Foo<[]>
Foo<[1; 3]>
Foo<(1, a)>
Foo<Some(3)>
Foo<i32::MIN>
Foo<<T as Tr>::A>
Foo<<ZST>: T>
Foo<Leaf(0x0001)>
Foo<{ N + 1 }, u8>
dyn Iterator<Item = u8, N = 3>
dyn Lend<Item<'a> = &'a u8>
<T as Tr<U>>::Out<V>
<[T]>::X
<{closure@l.rs:1:2: 3:4} as FnOnce<(u8,)>>::Output
<impl Into<u64> as Into<u64>>::X
impl Tr<K = const 0>
impl Fn(impl Tr<K = const 0>) -> u8
a::<impl b::C<T>>::D
a::<impl Tr for [T]>::D
a::<impl !Tr for T>::D
a::<impl [T]>::D
a::<impl *const T>::D
<impl dyn Any>::D
_::vec::Vec<u8>
r#fn::r#struct
é::ü
move::T
copy::T
f::{closure:async#0}::T
f::{closure#1}<T>::U
""".strip().split("\n")

PATHS = """
a
geo::<impl at l.rs:9:3: 9:10>::dot
<impl at <anon>:9:3: 9:10 (#3)>::dot
f::promoted[0]
S::0::{constant#0}
Vec::<u8>::push
Option::<u32>::map_or::<u32, F>
<T as Tr<U>>::m::<V>
f::<impl Fn(u8)>
{impl#0}::x
f::{closure#0}::<T>::g
""".strip().split("\n")

INSTANCES = """
<F as FnOnce<()>>::call_once - shim
std::ptr::drop_in_place::<T> - shim(Some(T))
<dyn Tr as Tr>::m - virtual#3
f::<T> - intrinsic
""".strip().split("\n")

CONSTANTS = """
true
'a'
'"'
'\\''
'\\u{7f}'
'é'
5_u8
-3_i64
i32::MIN
usize::MAX
core::u8::MAX
1f32
-0f32
0.100000001f32
1.0E+10f32
4.9406564584124654E-324f64
1.5f16
NaN_f32
+Inf_f64
-Inf_f32
"a \\" // b } é"
b"a\\x00\\n\\'\\"\\\\"
*b"xyz"
()
(1_u8,)
(true, 2f32)
[1_u8, 2_u8]
[A]
[(); 4]
Option::<u8>::Some(1_u8)
Item::Fn(1_u8)
Fn(T)
geo::K::A
In::<'_> {{ r: &1_u8, t: (1_u8, 2f32) }}
P {{ x: Q {{ y: 1_u8 }} }}
{unreachable(): T}
{alloc3: *mut u32}
{alloc3+0x8: &T}
{alloc3<imm>: &T}
{alloc3+0x8<imm>: &T}
{0x10 as *const T}
{path::f as fn(u8) -> u8}
{transmute(0x00ff): T}
{transmute(0x01): {closure@l.rs:1:2: 3:4}}
5_u32 is 1..
{0x8 as *const u8} is !null
ZeroSized: {closure@l.rs:1:2: 3:4}
Indirect { alloc_id: alloc5, offset: Size(8 bytes) }: T
Scalar(0x0001): T
Scalar(alloc5<imm>): &T
Slice { alloc_id: alloc5, meta: 3 }: &str
<uninit>
<T as Tr>::ID
Foo::<T>::N
f::promoted[0]
f::{constant#1}
N
<static(DefId(0:3 ~ a[1234]::X))>
<function>
<vtable>
<typeid>
<too short allocation>
<dangling pointer>
{const error}
ValTree(Leaf(0x0000000000000003): usize)
""".strip().split("\n")

PLACES = """
_1
(*_1)
(_1.0: u32)
((_1 as Some).0: u32)
((_1 as variant#3).0: u32)
(_1 as impl Sized)
(_1 as a::B)
(_1 as u8)
(_1 as subtype &'static u8)
unwrap_binder!((*_1); &u8)
_1[_2]
(*_1)[0 of 1]
(*_1)[-1 of 2]
(*_1)[1:]
(*_1)[:-2]
(*_1)[1:-2]
_1[1..3]
""".strip().split("\n")

RVALUES = """
copy _1
move (_1.0: T)
const 1_u8
copy unwrap_binder!(_1; &u8)
f::<u8>
UbChecks
OverflowChecks
ContractChecks
no_retag copy _1
[const 0_u8; 4]
[copy _1; N]
[copy _1; { N * 2 }]
&_1
&'a _1
&'a mut _1
&mut (*_1)
&fake _1
&fake shallow (*_1)
&raw const (*_1)
&raw const (fake) (*_1)
&raw mut (*_1)
deref_copy (_1.0: &u8)
a::P<'_> (reborrow _1)
a::P<'_> (coerce shared _1)
&/*tls*/ FOO
&/*tls*/ mut a::FOO
copy _1 as u8 (IntToInt)
copy _1 as fn((IntToInt,)) (PtrToPtr)
move _1 as i32 (FloatToInt)
move _1 as f32 (IntToFloat)
move _1 as f32 (FloatToFloat)
move _1 as *const u8 (FnPtrToPtr)
move _1 as usize (PointerExposeProvenance)
move _1 as *const u8 (PointerWithExposedProvenance)
move _1 as (u8, u8) (Transmute)
move _1 as T (Subtype)
f::<u8> as fn(u8) (PointerCoercion(ReifyFnPointer(Safe), AsCast))
f as unsafe fn() (PointerCoercion(ReifyFnPointer(Unsafe), Implicit))
f as fn() (PointerCoercion(ReifyFnPointer, Implicit))
move _1 as unsafe fn() (PointerCoercion(UnsafeFnPointer, Implicit))
move _1 as fn() (PointerCoercion(ClosureFnPointer(Safe), Implicit))
move _1 as unsafe fn() (PointerCoercion(ClosureFnPointer(Unsafe), AsCast))
move _1 as *const T (PointerCoercion(MutToConstPointer, AsCast))
move _1 as *const T (PointerCoercion(ArrayToPointer, AsCast))
move _1 as &[T] (PointerCoercion(Unsize, Implicit))
Not(move _1)
Neg(copy _1)
PtrMetadata(copy _1)
discriminant(_1)
()
(copy _1,)
(copy _1, const 2_u8)
[]
[copy _1]
[move _1, f]
P
P(copy _1)
Add(copy _1)
Not(copy _1, copy _2)
Item::Add(copy _1, copy _2)
P { x: copy _1, type: const (), 0: move _2 }
{closure@l.rs:1:2: 3:4}
{closure@l.rs:1:2: 3:4} { x: copy _1, y: &_2 }
{coroutine@a::f::{closure#0}} { x: move _1 }
*const [T] from (copy _1, copy _2)
*mut dyn A from (move _1, const 3_usize)
wrap_binder!(copy _1; unsafe<'a> &'a u8)
Len((*_1))
SizeOf(T)
AlignOf([u8; 4])
OffsetOf(T, [(0, 1), (2, 3)])
ShallowInitBox(move _1, T)
""".strip().split("\n")
RVALUES.remove("{closure@l.rs:1:2: 3:4} { x: copy _1, y: &_2 }")  # an operand is no borrow

_BINARY = """
Add Sub Mul AddUnchecked SubUnchecked MulUnchecked ShlUnchecked ShrUnchecked AddWithOverflow
SubWithOverflow MulWithOverflow Div Rem BitXor BitAnd BitOr Shl Shr Eq Ne Lt Le Gt Ge Cmp Offset
CheckedAdd CheckedSub CheckedMul
"""
RVALUES += [f"{op}(copy _1, move _2)" for op in _BINARY.split()]

STATEMENTS = """
_1 = copy _2
(*_1) = Add(copy _2, const 1_u8)
StorageLive(_1)
StorageDead(_12)
discriminant((*_1)) = 3
assume(move _1)
copy_nonoverlapping(dst = move _1, src = copy _2, count = const 3_usize)
nop
ConstEvalCounter
PlaceMention((*_1))
Coverage::VirtualCounter(bcb0)
FakeRead(ForLet(None), _1)
FakeRead(ForMatchedPlace(Some(DefId(0:12 ~ a[1]::f::{closure#0}))), (_1.0: T))
AscribeUserType(_1, o, UserTypeProjection { base: UserType(0), projs: [] })
AscribeUserType((_1.0: u8), +, UserTypeProjection { base: UserType(12), projs: [Field(0, ())] })
BackwardIncompatibleDropHint(_1)
Retag(_1)
Retag([fn entry] (*_1))
Retag([2phase] _1)
Retag([raw] _1)
""".strip().split("\n")

TERMINATORS = (
    """
goto -> bb1
switchInt(move _1) -> [otherwise: bb1]
switchInt(copy (_1.0: u8)) -> [0: bb1, 340282366920938463463374607431768211455: bb2, otherwise: bb3]
return
unreachable
resume
terminate(abi)
terminate(cleanup)
coroutine_drop
drop(_1) -> [return: bb1, unwind: bb2]
drop((*_1)) -> [return: bb1, unwind: bb2, drop: bb3]
drop(_1) -> [return: bb1, unwind terminate(cleanup)]
_0 = f() -> [return: bb1, unwind unreachable]
_0 = drop(move _1) -> [return: bb1, unwind: bb2]
_0 = assert::<u8>(move _1) -> [return: bb1, unwind continue]
_0 = copy(copy _1, const 2_u8) -> bb2
_0 = move _4(move _5) -> unwind continue
_0 = copy (_4.0: fn()) () -> unwind terminate(abi)
_0 = const f::{constant#0}(move _1) -> [return: bb1, unwind continue]
_0 = const f::{constant#0}() -> [return: bb1, unwind continue]
_0 = <F as Fn<(u32,)>>::call(move _5, const (1_u32,)) -> [return: bb1, unwind: bb9]
_0 = discriminant(copy _1) -> [return: bb1, unwind continue]
tailcall f(move _1)
tailcall const C(copy _1)
tailcall <fn() -> u8 as Tr>::m()
assert(move _1, "index {} of {}", copy _2, const 3_usize) -> [success: bb1, unwind unreachable]
assert(!copy _1, "x") -> [success: bb1, unwind: bb2]
_0 = yield(move _1) -> [resume: bb1, drop: bb2]
_0 = yield(const ()) -> bb1
falseEdge -> [real: bb1, imaginary: bb2]
falseUnwind -> [real: bb1, unwind: bb2]
falseUnwind -> [real: bb1, unwind continue]
async drop(_1; poll=_2) -> [return: bb1, unwind: bb2, drop: bb3]
async drop(_1) -> [return: bb1, unwind continue]
asm!("nop", options()) -> [return: bb1, unwind unreachable]
asm!("a {0}, "b"", in(reg) copy _1, out("eax") _2, lateout(reg) _, options(PURE | NOMEM)) -> [return: bb1, unwind unreachable]
asm!("x", inout(reg) copy _1 => _2, inlateout(reg) const 1_u8 => _, out(reg) _, options()) -> [return: bb1, unwind: bb3]
asm!("x", const const 5_i32, sym_fn f::<u8>, sym_static DefId(0:3 ~ a[1]::X), label 0, options(NORETURN)) -> [label: bb1, unwind unreachable]
asm!("x", options(NORETURN)) -> unwind unreachable
asm!("x", options(NORETURN | MAY_UNWIND)) -> bb3
asm!("x", label 1, options(NOSTACK)) -> [return: bb1, label: bb2, unwind unreachable]
""".strip()
    .replace("(_4.0: fn()) (", "(_4.0: fn())(")
    .split("\n")
)

BODY_LINES = """
debug x => _1;
debug move => (*_1);
debug c => const 3_u8;
debug f => a::f;
debug ((p: Vec3).0: f32) => _2;
debug (((*(p: &E)) as A).1: u8) => const 1_u8;
let _1: u8;
let mut _0: ();
let _2: u8 as UserTypeProjection { base: UserType(3), projs: [] };
""".strip().split("\n")

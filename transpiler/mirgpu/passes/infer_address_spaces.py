"""Generic pointers whose memory is known become pointers of its space.

Before::

    kernel @k "k" (%x:ptr.generic slice.ptr size 8 align 8, …) {
    entry:
      %p:ptr.generic = ptradd %x, %i * 4 + 0
      %v:f32 = load %p, align 4

After (``dce`` removes the rest)::

    entry:
      %x.1:ptr.global = addrspacecast %x
      %p:ptr.global = ptradd %x.1, %i * 4 + 0
      %p.1:ptr.generic = addrspacecast %p
      %v:f32 = load %p, align 4

What the host passes to a kernel, also inside a by-value aggregate, points to global memory;
allocas and globals are where they are.  Through offsets, selects and block parameters, with the
optimistic fixpoint of LLVM's pass of this name.
"""

from dataclasses import replace

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Block, Function, FunctionKind, Module
from mirgpu.kir.ops import (
    Cast,
    CastOp,
    Compare,
    Instruction,
    Load,
    MemCopy,
    MemSet,
    Operand,
    PtrAdd,
    PtrConst,
    Select,
    Store,
    Target,
    Undef,
    Value,
)
from mirgpu.kir.types import PTR, AddressSpace, PtrType
from mirgpu.kir.visit import map_targets, successors
from mirgpu.passes.rewrite import map_functions, with_blocks, with_nodes

NAME = "infer_address_spaces"

_GLOBAL = PtrType(AddressSpace.GLOBAL)


def run(module: Module) -> Module:
    """Infer each function's address spaces."""
    return map_functions(module, lambda function: _Inference(function).run())


class _Inference:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._sources: dict[Value, tuple[Operand, ...]] = {}
        self._casts: dict[Value, Operand] = {}
        self._loads: set[Value] = set()
        self._flows: set[Value] = set()  # sums, selects and block parameters
        self._params = {block.label: block.params for block in function.blocks}
        self._types: dict[Value, PtrType] = {}  # of generic pointers; PTR where unknown
        self._new: dict[Value, Operand] = {}  # the same address, of its own space
        self._needed: set[Value] = set()

    def run(self) -> Function:
        self._collect()
        self._infer()
        self._types = {value: ty for value, ty in self._types.items() if ty != PTR}
        if not self._types:
            return self._function
        self._need()
        for value, ty in self._types.items():
            source = self._casts.get(value)
            if source is not None:
                self._new[value] = source
            elif value in self._flows or value in self._needed:
                self._new[value] = Value(ty, value.name)
        entry, *others = self._function.blocks
        starts: list[Instruction] = [
            Cast(new, CastOp.ADDRSPACECAST, param.value, None)
            for param in self._function.params
            if isinstance(new := self._new.get(param.value), Value)
        ]
        blocks = [self._block(entry, starts), *[self._block(block, []) for block in others]]
        return with_blocks(self._function, tuple(blocks))

    # ----------------------------------------------------------------------- inference

    def _collect(self) -> None:
        if self._function.kind is FunctionKind.KERNEL:
            values = [param.value for param in self._function.params]
            self._types.update({value: _GLOBAL for value in values if value.type == PTR})
        cfg = Cfg(self._function)
        incoming: dict[Value, list[Operand]] = {}
        for label in cfg.reverse_postorder:
            block = cfg.blocks[label]
            for target in successors(block.terminator):
                for param, arg in zip(self._params[target.label], target.args, strict=True):
                    if param.type == PTR:
                        incoming.setdefault(param, []).append(arg)
            for node in block.instructions:
                match node:
                    case PtrAdd(result, base) if result.type == PTR:
                        self._sources[result] = (base,)
                        self._flows.add(result)
                    case Select(result, _, if_true, if_false) if result.type == PTR:
                        self._sources[result] = (if_true, if_false)
                        self._flows.add(result)
                    case Cast(result, CastOp.ADDRSPACECAST, operand) if result.type == PTR:
                        self._sources[result] = (operand,)
                        self._casts[result] = operand
                    case Load(result, ptr) if result.type == PTR:
                        self._sources[result] = (ptr,)
                        self._loads.add(result)
        self._sources.update({param: tuple(args) for param, args in incoming.items()})
        self._flows.update(incoming)

    def _infer(self) -> None:
        users: dict[Value, list[Value]] = {}
        for value, sources in self._sources.items():
            for source in sources:
                if isinstance(source, Value) and source.type == PTR:
                    users.setdefault(source, []).append(value)
        work = list(reversed(self._sources))
        while work:
            value = work.pop()
            new = self._meet(value)
            if new is not None and new != self._types.get(value):
                self._types[value] = new
                work += users.get(value, ())

    def _meet(self, value: Value) -> PtrType | None:
        """The common space of all sources; none while nothing is known."""
        found: PtrType | None = None
        constant = False
        for source in self._sources[value]:
            if isinstance(source, Undef):
                continue
            if isinstance(source, PtrConst):
                constant = True
                continue
            ty = self._type(source)
            if found is None:
                found = ty
            elif ty is not None and ty != found:
                return PTR
        if value in self._loads:
            if found is None or constant:
                return PTR if constant else None
            host = found.space is AddressSpace.PARAM
            return _GLOBAL if host else PTR
        # The generic addresses of global memory are its own, so those of no memory fit in.
        return PTR if constant and found not in (None, _GLOBAL) else found

    def _type(self, operand: Operand) -> PtrType | None:
        assert isinstance(operand.type, PtrType)
        if operand.type != PTR:
            return operand.type
        assert isinstance(operand, Value)
        known = self._types.get(operand)
        return PTR if known is None and operand not in self._sources else known

    # --------------------------------------------------------------------------- uses

    def _need(self) -> None:
        """Which parameters and loaded pointers have a use that their own space would serve."""
        need = self._needed
        for block in self._function.blocks:
            for target in successors(block.terminator):
                for param, arg in zip(self._params[target.label], target.args, strict=True):
                    if param in self._types and isinstance(arg, Value):
                        need.add(arg)
            for node in block.instructions:
                match node:
                    case PtrAdd(result, Value() as base) if result in self._types:
                        need.add(base)
                    case Select(result, _, if_true, if_false) if result in self._types:
                        need.update(v for v in (if_true, if_false) if isinstance(v, Value))
                    case Load(_, Value() as ptr) | Store(_, Value() as ptr):
                        need.add(ptr)
                    case MemSet(Value() as ptr):
                        need.add(ptr)
                    case MemCopy(dst, src):
                        need.update(v for v in (dst, src) if isinstance(v, Value))
                    case Compare(_, _, lhs, rhs) if lhs.type == PTR and self._comparable(lhs, rhs):
                        need.update(v for v in (lhs, rhs) if isinstance(v, Value))

    def _comparable(self, lhs: Operand, rhs: Operand) -> bool:
        types = [
            self._types.get(operand) if isinstance(operand, Value) else _GLOBAL
            for operand in (lhs, rhs)
            if not isinstance(operand, Undef)
        ]
        return len(types) == 2 and types[0] is not None and types[0] == types[1]

    # ------------------------------------------------------------------------ rewriting

    def _block(self, block: Block, out: list[Instruction]) -> Block:
        params: list[Value] = []
        for param in block.params:
            new = self._new.get(param, param)
            assert isinstance(new, Value)
            params.append(new)
            if new is not param:
                out.append(Cast(param, CastOp.ADDRSPACECAST, new, None))
        for node in block.instructions:
            self._rewrite(node, out)
        terminator = block.terminator
        if any(
            param in self._new
            for target in successors(terminator)
            for param in self._params[target.label]
        ):
            terminator = map_targets(terminator, self._target)
        if params != list(block.params):
            return Block(block.label, tuple(params), tuple(out), terminator)
        return with_nodes(block, tuple(out), terminator)

    def _target(self, target: Target) -> Target:
        pairs = zip(self._params[target.label], target.args, strict=True)
        args = [self._in(arg, self._types[p]) if p in self._new else arg for p, arg in pairs]
        return Target(target.label, tuple(args))

    def _in(self, operand: Operand, ty: PtrType) -> Operand:
        """``operand`` as a pointer of the space of ``ty``, which it has been found to have."""
        match operand:
            case PtrConst(_, address):
                return PtrConst(ty, address)
            case Undef():
                return Undef(ty)
            case _:
                assert isinstance(operand, Value)
                return operand if operand.type == ty else self._new[operand]

    def _own(self, operand: Operand) -> Operand:
        return self._new.get(operand, operand) if isinstance(operand, Value) else operand

    def _rewrite(self, node: Instruction, out: list[Instruction]) -> None:
        loc = node.loc
        match node:
            case Load(result, ptr):
                own = self._own(ptr)
                out.append(node if own is ptr else replace(node, ptr=own))
                new = self._new.get(result)
                if isinstance(new, Value):
                    out.append(Cast(new, CastOp.ADDRSPACECAST, result, loc))
                return
            case Store(_, ptr):
                own = self._own(ptr)
                out.append(node if own is ptr else replace(node, ptr=own))
                return
            case MemSet(dst):
                own = self._own(dst)
                out.append(node if own is dst else replace(node, dst=own))
                return
            case MemCopy(dst, src):
                to, source = self._own(dst), self._own(src)
                same = to is dst and source is src
                out.append(node if same else replace(node, dst=to, src=source))
                return
            case Compare(_, _, lhs, rhs) if lhs.type == PTR and self._comparable(lhs, rhs):
                ty = next(self._types[v] for v in (lhs, rhs) if isinstance(v, Value))
                out.append(replace(node, lhs=self._in(lhs, ty), rhs=self._in(rhs, ty)))
                return
            case PtrAdd(result, base) if result in self._new:
                new, ty = self._new[result], self._types[result]
                assert isinstance(new, Value)
                out.append(replace(node, result=new, base=self._in(base, ty)))
            case Select(result, _, if_true, if_false) if result in self._new:
                new, ty = self._new[result], self._types[result]
                assert isinstance(new, Value)
                yes, no = self._in(if_true, ty), self._in(if_false, ty)
                out.append(replace(node, result=new, if_true=yes, if_false=no))
            case _:
                out.append(node)
                return
        out.append(Cast(result, CastOp.ADDRSPACECAST, new, loc))

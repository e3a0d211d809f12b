"""Control-flow analyses, against definitions computed the slow way on random graphs."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mirgpu.kir.cfg import Cfg, Loop
from mirgpu.kir.module import Block, Function, FunctionKind
from mirgpu.kir.ops import Br, CondBr, IntConst, Return, Target, Terminator
from mirgpu.kir.parser import parse_module
from mirgpu.kir.types import I1


def _function(edges: list[tuple[int, ...]]) -> Function:
    """Block n jumps to ``edges[n]``: none, one or two blocks."""
    blocks = []
    for index, targets in enumerate(edges):
        terminator: Terminator
        match targets:
            case ():
                terminator = Return((), None)
            case (one,):
                terminator = Br(Target(f"b{one}"), None)
            case (one, two, *_):
                terminator = CondBr(IntConst(I1, 1), Target(f"b{one}"), Target(f"b{two}"), None)
        blocks.append(Block(f"b{index}", (), (), terminator))
    return Function("f", "f", FunctionKind.DEVICE, (), (), tuple(blocks), None)


@st.composite
def _graphs(draw: st.DrawFn) -> list[tuple[int, ...]]:
    count = draw(st.integers(1, 9))
    target = st.integers(1, count - 1) if count > 1 else st.nothing()
    edges = st.lists(target, max_size=2).map(tuple) if count > 1 else st.just(())
    return [draw(edges) for _ in range(count)]


def _reach(edges: list[tuple[int, ...]], start: int, without: int | None = None) -> set[int]:
    seen: set[int] = set()
    stack = [start]
    while stack:
        at = stack.pop()
        if at not in seen and at != without:
            seen.add(at)
            stack.extend(edges[at])
    return seen


@settings(deadline=None, derandomize=True, max_examples=400)
@given(_graphs())
def test_dominators_loops_and_frontiers_by_definition(edges: list[tuple[int, ...]]) -> None:
    cfg = Cfg(_function(edges))
    reachable = _reach(edges, 0)
    order = [int(label[1:]) for label in cfg.reverse_postorder]
    assert sorted(order) == sorted(reachable)
    assert order[0] == 0

    dominators = {
        b: {a for a in reachable if a == b or b not in _reach(edges, 0, without=a)}
        for b in reachable
    }
    for a in reachable:
        for b in reachable:
            assert cfg.dominates(f"b{a}", f"b{b}") == (a in dominators[b])
    for b in reachable - {0}:
        strict = dominators[b] - {b}
        nearest = max(strict, key=lambda a: len(dominators[a]))
        assert cfg.idom[f"b{b}"] == f"b{nearest}"
        assert f"b{b}" in cfg.dominator_children[f"b{nearest}"]
    assert "b0" not in cfg.idom

    for b in reachable:
        preds = {a for a in reachable if b in edges[a]}
        assert {int(p[1:]) for p in cfg.predecessors[f"b{b}"]} == preds
    for a in reachable:
        frontier = {
            b
            for b in reachable
            if any(b in edges[p] and a in dominators[p] for p in reachable)
            and not (a in dominators[b] and a != b)
        }
        assert {int(b[1:]) for b in cfg.dominance_frontiers[f"b{a}"]} == frontier

    headers = {h for b in reachable for h in edges[b] if h in dominators[b]}
    assert {int(h[1:]) for h in cfg.loops} == headers
    for header in headers:
        latches = {b for b in reachable if header in edges[b] and header in dominators[b]}
        backwards: dict[int, tuple[int, ...]] = {
            b: tuple(a for a in reachable if b in edges[a]) for b in reachable
        }
        body = {header}
        stack = list(latches)
        while stack:
            at = stack.pop()
            if at not in body:
                body.add(at)
                stack.extend(backwards[at])
        loop = cfg.loops[f"b{header}"]
        assert {int(b[1:]) for b in loop.blocks} == body
        assert {int(b[1:]) for b in loop.latches} == latches
        assert loop.blocks[0] == loop.header

    # Reducible: without edges to dominators, no cycle remains.
    forward = {a: [b for b in edges[a] if b not in dominators[a]] for a in reachable}
    done: set[int] = set()
    while True:
        ready = {a for a in reachable - done if all(b in done for b in forward[a])}
        if not ready:
            break
        done |= ready
    assert cfg.is_reducible == (done == reachable)


def test_nested_loops_have_parents() -> None:
    edges: list[tuple[int, ...]] = [(1,), (2, 5), (3,), (2, 4), (1,), ()]
    cfg = Cfg(_function(edges))
    assert cfg.loops == {
        "b1": Loop("b1", ("b4",), ("b1", "b2", "b3", "b4"), None),
        "b2": Loop("b2", ("b3",), ("b2", "b3"), "b1"),
    }
    assert cfg.innermost_loop == {"b1": "b1", "b2": "b2", "b3": "b2", "b4": "b1"}
    assert cfg.reverse_postorder == ("b0", "b1", "b2", "b3", "b4", "b5")


def test_a_long_chain_does_not_recurse() -> None:
    edges: list[tuple[int, ...]] = [(n + 1,) for n in range(5000)]
    cfg = Cfg(_function([*edges, ()]))
    assert cfg.dominates("b17", "b4999")
    assert cfg.loops == {}


def test_unreachable_blocks_are_not_there() -> None:
    text = 'device @f "f" () {\na:\n br c\nb:\n br c\nc:\n return\n}'
    cfg = Cfg(parse_module(text).functions[0])
    assert cfg.reverse_postorder == ("a", "c")
    assert cfg.predecessors == {"a": (), "c": ("a",)}

"""Expressions of the IR, their references and the resources of costs; knows no statement."""

from __future__ import annotations

from grammar.declaring import dataclass


@dataclass(frozen=True, slots=True)
class Num:
    """A number; infinities are floats."""

    value: float


@dataclass(frozen=True, slots=True)
class Attr:
    """The session's attribute in a slot."""

    slot: int


@dataclass(frozen=True, slots=True)
class Ctx:
    """A context variable by its IR name (``Now``, ``Nres`` …), see R6.24."""

    name: str


@dataclass(frozen=True, slots=True)
class Reg:
    """A register by its index in ``Program.registers``."""

    index: int


@dataclass(frozen=True, slots=True)
class Agg:
    """An aggregate over everything observed (``Total``, ``Count``, ``Largest``, ``Smallest``, ``PrefixTotal``)."""

    kind: str
    observe: int


@dataclass(frozen=True, slots=True)
class PoolTarget:
    """The pools ``base`` … ``base + count - 1`` as the resource of a cost."""

    base: int
    count: int


@dataclass(frozen=True, slots=True)
class StageTarget:
    """The stages ``base`` … ``base + count - 1`` as the resource of a cost."""

    base: int
    count: int


@dataclass(frozen=True, slots=True)
class Joint:
    """A cost of several resources at once: two or more, distinct, pools before stages, by base."""

    parts: tuple[PoolTarget | StageTarget, ...]


Target = PoolTarget | StageTarget | Joint


@dataclass(frozen=True, slots=True)
class Cost:
    """A number typed as a cost of a resource; the value is the inner one."""

    target: Target
    expr: Expr


@dataclass(frozen=True, slots=True)
class Sample:
    """A draw (``Exp``, ``Det``, ``Uniform``, ``Erlang``, ``H2``, ``Bernoulli``)."""

    dist: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A pool or stage: ``base``, or member ``index`` of the ``count`` from ``base``."""

    base: int
    count: int = 1
    index: Expr | None = None


@dataclass(frozen=True, slots=True)
class PoolArg:
    """A pool as the argument of a function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class StageArg:
    """A stage as the argument of a function."""

    ref: Ref


@dataclass(frozen=True, slots=True)
class Call:
    """A function by its IR name; arguments are expressions, pools or stages."""

    fun: str
    args: tuple[Expr | PoolArg | StageArg, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """``Neg`` or ``Not``."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """``Add Sub Mul Div Pow Lt Le Gt Ge Eq Ne And Or``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Cond:
    """``then`` where ``test`` is not 0, else ``orelse``."""

    test: Expr
    then: Expr
    orelse: Expr


Expr = Num | Attr | Ctx | Reg | Agg | Cost | Sample | Call | Unary | Binary | Cond

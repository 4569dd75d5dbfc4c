"""From the JSON of an expression of the kernel IR to the nodes of ``ir``; checks its form and nothing else."""

from __future__ import annotations

from grammar import ir
from grammar.ir_node import SHAPE, InvalidIR, Node

OLDEST = 12  # the only version with the stage kind Delay and the function Pow
POWER_ARGUMENTS = 2
FUNCTIONS = (
    *("Min", "Max", "Abs", "Floor", "Ceil", "Sqrt", "Exp", "Ln"),
    *("Queue", "Busy", "Work", "BudgetLeft", "EstLambda", "EstRho", "EstWait", "Price"),
    *("Used", "Free", "CachedIn", "Allocated", "Holders", "Queued"),
)
DISTRIBUTIONS = ("Exp", "Det", "Uniform", "Erlang", "H2", "Bernoulli")
UNARY = ("Neg", "Not")
BINARY = ("Add", "Sub", "Mul", "Div", "Pow", "Lt", "Le", "Gt", "Ge", "Eq", "Ne", "And", "Or")
AGGREGATES = ("Total", "Count", "Largest", "Smallest", "PrefixTotal")
CONTEXT = (
    *("Now", "Waited", "Size", "Age", "Last", "Queued", "N", "Ntok", "Ndec", "Npre", "Nres", "Kvb", "Kvp", "Attn"),
    *("Decoding", "Admission", "Remaining", "Position", "Preempted", "Admitted", "Demand", "Served", "Arrived"),
    *("Input", "Output", "Known", "Hit", "Finished", "Loaded", "Requeued"),
)
EXPRESSIONS = ("Num", "Attr", "Ctx", "Reg", "Agg", "Cost", "Sample", "Call", "Unary", "Binary", "Cond")


class ExpressionReader:
    """Reads expressions, references and the resources of costs of one version."""

    def __init__(self, version: int) -> None:
        self.version = version

    def perhaps(self, node: Node | None) -> ir.Expr | None:
        """An optional expression."""
        return None if node is None else self.expr(node)

    def exprs(self, node: Node) -> tuple[ir.Expr, ...]:
        """A list of expressions."""
        return tuple(self.expr(item) for item in node.items())

    def expr(self, node: Node) -> ir.Expr:
        """An expression (L11.7)."""
        name, content = node.variant()
        match name:
            case "Num":
                return ir.Num(content.extended())
            case "Attr":
                return ir.Attr(content.natural())
            case "Ctx":
                return ir.Ctx(content.one_of("context variable", CONTEXT))
            case "Reg":
                return ir.Reg(content.natural())
            case "Agg":
                kind, observe = content.exactly(2)
                return ir.Agg(kind.one_of("aggregate", AGGREGATES), observe.natural())
            case "Cost":
                target, inner = content.exactly(2)
                return ir.Cost(self.target(target), self.expr(inner))
            case "Sample":
                dist, args = content.exactly(2)
                return ir.Sample(dist.one_of("distribution", DISTRIBUTIONS), self.exprs(args))
            case "Call":
                return self.call(content)
            case "Unary":
                op, operand = content.exactly(2)
                return ir.Unary(op.one_of("unary operator", UNARY), self.expr(operand))
            case "Binary":
                op, left, right = content.exactly(3)
                return ir.Binary(op.one_of("binary operator", BINARY), self.expr(left), self.expr(right))
            case "Cond":
                test, then, orelse = content.exactly(3)
                return ir.Cond(self.expr(test), self.expr(then), self.expr(orelse))
        raise node.unknown_variant("expression", name, EXPRESSIONS)

    def call(self, node: Node) -> ir.Expr:
        """A function and its arguments; how many it takes is not checked here."""
        fun, arguments = node.exactly(2)
        args = tuple(self.argument(item) for item in arguments.items())
        if self.version == OLDEST and fun.value == "Pow":
            return self.power(node, args)
        return ir.Call(fun.one_of("function", FUNCTIONS), args)

    @staticmethod
    def power(node: Node, args: tuple[ir.Expr | ir.PoolArg | ir.StageArg, ...]) -> ir.Expr:
        """Version 12 also writes a power as a function of two expressions."""
        if len(args) == POWER_ARGUMENTS:
            base, exponent = args
            if not isinstance(base, ir.PoolArg | ir.StageArg) and not isinstance(exponent, ir.PoolArg | ir.StageArg):
                return ir.Binary("Pow", base, exponent)
        raise InvalidIR(node.path, SHAPE, "Pow takes two expressions")

    def argument(self, node: Node) -> ir.Expr | ir.PoolArg | ir.StageArg:
        """An argument of a function."""
        name, content = node.variant()
        if name == "Expr":
            return self.expr(content)
        if name == "Pool":
            return ir.PoolArg(self.ref(content))
        if name == "Stage":
            return ir.StageArg(self.ref(content))
        raise node.unknown_variant("kind of argument", name, ("Expr", "Pool", "Stage"))

    def ref(self, node: Node) -> ir.Ref:
        """A pool or stage, or a member of an array of them."""
        base, count = node.field("base").natural(), node.field("count").natural()
        return ir.Ref(base, count, self.perhaps(node.optional("index")))

    def target(self, node: Node) -> ir.Target:
        """The resource of a cost."""
        name, content = node.variant()
        if name == "Joint":
            return ir.Joint(tuple(self.part(item) for item in content.items()))
        return self.part(node)

    @staticmethod
    def part(node: Node) -> ir.PoolTarget | ir.StageTarget:
        """A resource that is not joint."""
        name, content = node.variant()
        if name not in ("Pool", "Stage"):
            raise node.unknown_variant("resource of a cost", name, ("Pool", "Stage", "Joint"))
        base, count = content.field("base").natural(), content.field("count").natural()
        return ir.PoolTarget(base, count) if name == "Pool" else ir.StageTarget(base, count)

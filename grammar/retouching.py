"""The constants of a text and the text with others in their place; links nothing and knows no run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from grammar import syntax
from grammar.declaring import dataclass
from grammar.diagnostics import ProgramError
from grammar.expansion import walk
from grammar.names import nearest
from grammar.parser import parse, parse_expression
from grammar.source import Source, Span

#: What a constant's value is made of: numerals, their arithmetic and the names of other constants.
_PLAIN = (syntax.Number, syntax.NameExpr, syntax.Ref, syntax.Name, syntax.Unary, syntax.Binary, syntax.Conditional)


class NoSuchConstant(ValueError):
    """A name no constant of the text has, or a value that is no expression, in one sentence."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A ``let`` whose value is arithmetic of numerals and other names.

    Attributes:
        name: its name; of several of one name the second is ``name:2``, and so on in the order of the text.
        text: its value as written.
        span: where that stands.
    """

    name: str
    text: str
    span: Span


def constants(source: Source) -> tuple[Constant, ...]:
    """The constants of a text, in its order.

    Raises:
        ProgramError: the text is no program.
    """
    seen: Counter[str] = Counter()
    found: list[Constant] = []
    lets = (node for node in walk(parse(source)) if isinstance(node, syntax.Let))
    for let in lets:
        name = let.name.text
        seen[name] += 1
        if all(isinstance(node, _PLAIN) for node in walk(let.value)):
            key = name if seen[name] == 1 else f"{name}:{seen[name]}"
            found.append(Constant(key, _cut(source.text, let.value.span), let.value.span))
    return tuple(found)


def with_constants(source: Source, values: Mapping[str, str]) -> Source:
    """The text with other values for some of its constants.

    Raises:
        ProgramError: the text is no program.
        NoSuchConstant: a name is none of its constants, or a value is no expression.
    """
    known = {constant.name: constant for constant in constants(source)}
    lines = source.text.split("\n")
    for name, value in values.items():
        if name not in known:
            near = nearest(name, known)
            raise NoSuchConstant(f"the text has no constant {name}" + (f"; did you mean {near}?" if near else ""))
        _check(name, value)
    # From the end on, so that what is replaced moves nothing that is still to be replaced.
    for constant in sorted((known[name] for name in values), key=lambda c: (c.span.line, c.span.column), reverse=True):
        span, value = constant.span, values[constant.name].strip()
        first, last = lines[span.line - 1], lines[span.end_line - 1]
        lines[span.line - 1 : span.end_line] = [first[: span.column - 1] + value + last[span.end_column - 1 :]]
    return Source(source.name, "\n".join(lines))


def _check(name: str, value: str) -> None:
    try:
        if "\n" in value:
            raise NoSuchConstant(f"the value of {name} is one line")
        parse_expression(Source(name, value))
    except ProgramError as error:
        raise NoSuchConstant(f"{value!r} is no value for {name}: {error.diagnostics[0].message}") from error


def _cut(text: str, span: Span) -> str:
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)

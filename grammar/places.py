"""The side table from the statements of the IR to the text; knows no rules."""

from __future__ import annotations

from grammar import ir, syntax
from grammar.lower import Deployment
from grammar.source import Span
from grammar.statements import Lowered


def source_map(lowered: Lowered, deployment: Deployment, arrival: syntax.Arrival | None) -> ir.SourceMap:
    """The side table from statements to the text."""
    places = ir.SourceMap(arrival=_place(arrival.span) if arrival is not None else None)
    for key in lowered.origins:
        places.statements[key] = lowered.place(*key)
    for stage, paths in deployment.schedules.items():
        for path, span in paths.items():
            places.schedule[stage, path] = _place(span)
    for stage, span in deployment.execute.items():
        places.execute[stage] = _place(span)
    for stage, span in deployment.tokens_cap.items():
        places.tokens_cap[stage] = _place(span)
    return places


def _place(span: Span) -> ir.Place:
    return ir.Place(span.line, span.column, span.end_line, span.end_column)


def closing_brace(span: Span) -> Span:
    """The brace a block ends with."""
    return Span(span.end_line, max(span.end_column - 1, 1), span.end_line, span.end_column)


def server_word(server: syntax.Server | None) -> Span:
    """The word ``server``, for the turn of a session that is not written."""
    if server is None:
        return Span(1, 1, 1, 1)
    return Span(server.span.line, server.span.column, server.span.line, server.span.column + len("server"))

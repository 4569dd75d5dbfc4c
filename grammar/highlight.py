"""A Pygments lexer for ``.sq`` files; colours by the neighbouring words and knows no grammar."""

from __future__ import annotations

from typing import ClassVar

# Pygments comes without types.
from pygments.lexer import RegexLexer, bygroups, words  # type: ignore[import-untyped]
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace  # type: ignore[import-untyped]

from grammar.names import BUILT_IN, DISTRIBUTIONS, FUNCTIONS, SUPPLIED, WORDS

_NAME = r"[^\W\d]\w*"
_GAP = r"(\s+)"
_DECLARED = ("pool", "stage", "device", "engine", "queue", "gauge", "claim", "let", "state")
_ASSIGNED = ("set", "observe", "mark", "choose", "Size", "Cost")


class SerqLexer(RegexLexer):  # type: ignore[misc]
    """Highlights serQ programs.

    The words of the language are words in their place (L1.9); a lexer of patterns sees a few places: the name behind a
    word that declares or assigns, the field behind a dot, the function before a parenthesis.
    """

    name = "serQ"
    aliases: ClassVar[list[str]] = ["serq", "sq"]
    filenames: ClassVar[list[str]] = ["*.sq"]
    mimetypes: ClassVar[list[str]] = ["text/x-serq"]

    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*[\s\S]*?\*/", Comment.Multiline),
            (r'"[^"]*"', String),
            (r"(?:[0-9][0-9_.]*|\.[0-9][0-9_.]*)(?:[eE][+-]?[0-9]+)?", Number),
            (rf"(fn|def){_GAP}({_NAME})", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (rf"({'|'.join(_DECLARED)}){_GAP}(?!(?:on|by|fifo)\b)({_NAME})", bygroups(Keyword.Declaration, Whitespace, Name.Class)),
            (rf"(tokens){_GAP}(cap)\b", bygroups(Keyword, Whitespace, Keyword)),
            (rf"({'|'.join(_ASSIGNED)}){_GAP}({_NAME})", bygroups(Keyword, Whitespace, Name.Variable)),
            (rf"(~)(\s*)({'|'.join(DISTRIBUTIONS)})\b", bygroups(Operator, Whitespace, Name.Builtin)),
            (rf"(\.)(\s*)({_NAME})", bygroups(Punctuation, Whitespace, Name.Attribute)),
            (words(("use", "workload", "server", "share"), suffix=r"\b"), Keyword.Declaration),
            (words(sorted(FUNCTIONS | {"cost"}), suffix=r"(?=\s*\()"), Name.Builtin),
            (words(sorted(SUPPLIED | BUILT_IN), suffix=r"\b"), Name.Builtin.Pseudo),
            (words(sorted(WORDS), suffix=r"\b"), Keyword),
            (words(("max", "min", "sum"), suffix=r"\b"), Name.Builtin),
            (_NAME, Name),
            (r"<=|>=|==|!=|&&|\|\||[=~?+\-*/^<>!]", Operator),
            (r"[{}()\[\],;:.]", Punctuation),
        ]
    }

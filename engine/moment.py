"""What an expression reads of the moment it is read at; knows no state."""

from __future__ import annotations


class Moment:
    """The context variables of the expression being read (R6.24), by their IR names.

    Plain mutable fields: whoever reads an expression sets what it may read just before.
    """

    __slots__ = (
        "Admission",
        "Admitted",
        "Age",
        "Arrived",
        "Attn",
        "Decoding",
        "Demand",
        "Finished",
        "Hit",
        "Input",
        "Known",
        "Kvb",
        "Kvp",
        "Last",
        "Loaded",
        "N",
        "Ndec",
        "Npre",
        "Nres",
        "Ntok",
        "Output",
        "Position",
        "Preempted",
        "Queued",
        "Remaining",
        "Requeued",
        "Served",
        "Size",
        "Waited",
    )

    def __init__(self) -> None:
        self.Finished = 0.0
        self.Hit = 0.0
        self.Input = 0.0
        self.Known = 0.0
        self.Loaded = 0.0
        self.Output = 0.0
        self.Requeued = 0.0
        self.Admission = 0.0
        self.Admitted = 0.0
        self.Age = 0.0
        self.Arrived = 0.0
        self.Attn = 0.0
        self.Decoding = 0.0
        self.Demand = 0.0
        self.Kvb = 0.0
        self.Kvp = 0.0
        self.Last = 0.0
        self.N = 0.0
        self.Ndec = 0.0
        self.Npre = 0.0
        self.Nres = 0.0
        self.Ntok = 0.0
        self.Position = 0.0
        self.Preempted = 0.0
        self.Queued = 0.0
        self.Remaining = 0.0
        self.Served = 0.0
        self.Size = 0.0
        self.Waited = 0.0

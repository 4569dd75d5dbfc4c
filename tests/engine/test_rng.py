"""The generator, the derived streams and the distributions, to the last bit.

The numbers are the reference's (pyserq 0.1.6), except where a comment derives them.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import chacha, rng
from engine.rng import LEG, SESSION, WORKLOAD, Stream, mix, root

FIRST_U64 = {
    0: (0xBB2A3FB2CD2C6F7F, 0xC6017C948E27697B, 0x069DC102CF310A16, 0x958B761DABE5F6D0),
    1: (0xF9681A64D3301861, 0xB0F4D125CC0D694A, 0x6D8FC15A3248C9DA, 0x2CF33517376425D3),
}
FIRST_UNIT = {
    0: (0.7311134158637046, 0.7734601843532382, 0.025844634233355035, 0.5841592619362002),
    1: (0.9742447372584028, 0.6912356107023264, 0.4279747815328704, 0.17558605019384332),
}
WORDS_OF_A_BLOCK = 16


class Written(Stream):
    """A stream of words written down beforehand."""

    def __init__(self, *words: int) -> None:
        super().__init__(0)
        self.rest = list(words)

    def u32(self) -> int:
        return self.rest.pop(0)


@pytest.mark.parametrize("seed", FIRST_U64)
def test_a_seed_gives_the_words_of_chacha_with_twelve_rounds(seed: int) -> None:
    """R8.1, R8.2."""
    stream = Stream(seed)
    assert tuple(stream.u64() for _ in range(4)) == FIRST_U64[seed]


@pytest.mark.parametrize("seed", FIRST_UNIT)
def test_a_unit_draw_is_the_upper_53_bits_of_two_words(seed: int) -> None:
    """R8.3."""
    stream = Stream(seed)
    assert tuple(stream.unit() for _ in range(4)) == FIRST_UNIT[seed]


def test_of_two_words_the_first_is_the_low_half() -> None:
    """R8.1: the first two words of Rng(0) are the halves of its first 64 bits."""
    stream = Stream(0)
    assert (stream.u32(), stream.u32()) == (0xCD2C6F7F, 0xBB2A3FB2)
    assert stream.u64() == FIRST_U64[0][1]


def test_two_words_may_lie_in_two_blocks() -> None:
    """R8.1: after one single word every pair is shifted by one, and the eighth spans the blocks' border."""
    plain, shifted = Stream(1), Stream(1)
    words = [plain.u32() for _ in range(2 * WORDS_OF_A_BLOCK + 1)]
    assert shifted.u32() == words[0]
    pairs = [shifted.u64() for _ in range(WORDS_OF_A_BLOCK)]
    assert pairs == [words[i] | words[i + 1] << 32 for i in range(1, 2 * WORDS_OF_A_BLOCK, 2)]


def test_a_clone_draws_on_by_itself() -> None:
    original = Stream(5)
    original.u32()
    copy = original.clone()
    drawn = [copy.unit() for _ in range(20)]
    assert [original.unit() for _ in range(20)] == drawn


def test_a_clone_made_before_the_first_draw_draws_the_same() -> None:
    original = Stream(5)
    copy = original.clone()
    assert original.u64() == copy.u64()


def test_mixing_is_a_step_of_splitmix64() -> None:
    """R8.4."""
    assert mix(1) == 0x910A2DEC89025CC1
    assert mix(42) == 0xBDD732262FEB6E95


@pytest.mark.parametrize(
    ("parts", "derived", "first"),
    [
        ((1, 0, 0, WORKLOAD), 0x3FA25E1657E024C1, 0.8285549402948466),
        ((1, 0, 0, SESSION), 0x90C24400C9510BF2, 0.1621242647527662),
        ((1, 0, 1, WORKLOAD), 0x81EC387567B76B2D, 0.18547972510699162),
        ((1, 1, 0, SESSION), 0x4F323FFFF89FBA25, 0.2447743700986078),
        ((1, 0, 0, LEG), 0x004DB033C987A433, 0.5348466644357994),
        ((42, 3, 2, WORKLOAD), 0x67664F60A80720AE, 0.5367512014663158),
    ],
)
def test_a_session_stream_is_derived_part_by_part(parts: tuple[int, int, int, int], derived: int, first: float) -> None:
    """R8.4: the seed alone is mixed first, then each part is xored in and mixed."""
    seed, serial, turn, kind = parts
    assert Stream(root(seed, serial), (turn, kind)).seed == derived
    assert Stream(derived).unit() == first


# --------------------------------------------------------------------------- whole numbers below n


def test_indices_below_seven_are_the_measured_ones() -> None:
    """R8.6: the indices of a run of seed 3 with a trace of seven sessions."""
    stream = Stream(3 ^ rng.TRACE_SALT)
    assert [stream.below(7) for _ in range(6)] == [5, 3, 6, 6, 5, 5]


def test_a_second_word_decides_an_index_near_a_border() -> None:
    """R8.6 with n = 3 * 2**30, so that the threshold 2**32 - n is 2**30.

    The word 1 gives the product 3 * 2**30: index 0 and a low part above the threshold. A second
    word of 2**31 adds 3 * 2**29, which carries over 2**32: index 1; a second word of 0 does not.
    """
    n = 3 << 30
    assert Written(1, 1 << 31).below(n) == 1
    assert Written(1, 0).below(n) == 0


def test_no_second_word_is_drawn_at_the_threshold_itself() -> None:
    """R8.6: the word 3 gives 9 * 2**30, index 2 and a low part equal to the threshold."""
    stream = Written(3, 1 << 31)
    assert stream.below(3 << 30) == 2
    assert stream.rest == [1 << 31]


# --------------------------------------------------------------------------- distributions (R8.7)


@pytest.mark.parametrize(
    ("law", "arguments", "drawn"),
    [
        (rng.exponential, (2.0,), (0.061572874336182026, 0.733699589154829, 0.3077997881883946, 1.5640319223033061)),
        (rng.uniform, (10.0, 20.0), (10.303173608651013, 13.070862833742408, 11.426421567007726, 15.425171865271054)),
        (rng.erlang, (3.0, 6.0), (1.1030722516794058, 8.237543449860471, 1.2469187786763656, 4.64949454747159)),
        (rng.h2, (2.0, 4.0), (0.41344582792913426, 0.8813450117495267, 3.4020330127985137, 0.3344357262836565)),
        (rng.bernoulli, (0.5,), (1.0, 1.0, 1.0, 0.0)),
        (rng.deterministic, (3.0,), (3.0, 3.0, 3.0, 3.0)),
    ],
    ids=("exp", "uniform", "erlang", "h2", "bernoulli", "det"),
)
def test_a_distribution_draws_what_the_reference_draws(law, arguments: tuple[float, ...], drawn: tuple[float, ...]) -> None:  # type: ignore[no-untyped-def]
    """R8.7, from Rng(7)."""
    stream = Stream(7)
    assert tuple(law(stream, *arguments) for _ in range(4)) == drawn


def test_a_certain_value_draws_nothing() -> None:
    """R8.7: Det."""
    stream = Stream(7)
    rng.deterministic(stream, 3.0)
    assert stream.u64() == Stream(7).u64()


def test_one_session_draws_nine_pairs_in_a_row() -> None:
    """R8.7 on the session stream of session 0 under seed 7, phases cut and a squared variation below 1 among them."""
    stream = Stream(root(7, 0), (0, SESSION))
    drawn = [
        law(stream, *arguments)
        for law, arguments in [
            (rng.exponential, (2.0,)),
            (rng.uniform, (10.0, 20.0)),
            (rng.erlang, (3.0, 6.0)),
            (rng.h2, (2.0, 4.0)),
            (rng.bernoulli, (0.5,)),
            (rng.deterministic, (3.0,)),
            (rng.erlang, (2.7, 6.0)),
            (rng.erlang, (0.2, 6.0)),
            (rng.h2, (2.0, 0.5)),
        ]
        for _ in range(2)
    ]
    assert drawn == [
        *(0.5322899023938188, 9.03892427758922),
        *(14.916534915900534, 16.739939177979625),
        *(7.271191998672739, 5.585005304610025),
        *(0.3514821211877846, 0.9310580077450754),
        *(1.0, 0.0),
        *(3.0, 3.0),
        *(3.9897530151740153, 10.746910948640425),
        *(1.0276105281711196, 2.832729334079286),
        *(0.7125115714248947, 0.008458060731253691),
    ]


@given(st.integers(0, 2**128 - 1), st.integers(0, 2**128 - 1), st.integers(0, 2**64 - 1))
def test_a_block_is_the_same_by_rows_and_by_words(first: int, last: int, counter: int) -> None:
    """R8.1: what compiled code computes is what the interpreter does."""
    b, c = (chacha.row((half & 0xFFFFFFFF, half >> 32 & 0xFFFFFFFF, half >> 64 & 0xFFFFFFFF, half >> 96)) for half in (first, last))
    assert chacha.by_words(b, c, counter) == chacha.by_rows(b, c, counter)

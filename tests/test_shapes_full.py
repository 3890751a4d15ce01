"""Win, waits and shanten of 200,000 hands against the second engine: `make verify`."""

import pytest
from shape_hands import make_hands
from test_shapes import PLAIN, WILD, assert_as_the_second_engine, rules_of

pytestmark = pytest.mark.verify

SAMPLES = [
    *(("platform", PLAIN[:1], 10_000, False, seed) for seed in range(8)),
    *(("platform", PLAIN, 5_000, True, seed) for seed in range(2)),
    *(("hongzhong", WILD, 2_500, one_suit, seed) for one_suit in (False, True) for seed in range(4)),
]


@pytest.mark.parametrize(("name", "variants", "n", "one_suit", "seed"), SAMPLES)
def test_as_the_second_engine(name, variants, n, one_suit, seed):
    rules = [rules_of(name, **shapes) for shapes in variants]
    assert_as_the_second_engine(rules, make_hands(rules[-1], n, seed=1_000 + seed, one_suit=one_suit))


def test_there_are_hands_enough():
    assert sum(n * len(variants) for _, variants, n, _, _ in SAMPLES) >= 200_000

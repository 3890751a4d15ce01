"""A review in words: the headline, the sheets of figures, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kwx_sim.positions import Position
from kwx_sim.query.sheets import Sheet
from kwx_sim.query.telling import arm_words, interval, signed
from kwx_sim.review.judge import Judged, State
from kwx_sim.review.report import Rating, Review, Sum, Total
from kwx_sim.text import t
from kwx_sim.tiles import NUM_SLOTS, format_hand, tile_name

__all__ = ["counted", "hand_words", "headline", "kind_words", "mistakes", "notes", "ratings", "totals"]


def headline(review: Review, lang: str) -> str:
    """Say in one sentence what was gone through and what was found."""
    states = [each.state for each in review.judged]
    facts = {
        "decisions": counted("decision", len(states), lang),
        "rounds": counted("round", max(review.rounds.values(), default=0), lang),
        "errors": states.count(State.ERROR),
        "unclear": states.count(State.UNCLEAR),
    }
    said = t("review.say.found", lang, **facts)
    return t("review.say.interrupted", lang) + said if review.interrupted else said


def counted(name: str, number: int, lang: str) -> str:
    """So many rounds or decisions, in words."""
    return t(f"review.count.{name}" + ("_one" if number == 1 else ""), lang, n=f"{number:,}")


def mistakes(review: Review, lang: str, *, unclear: bool = False) -> Sheet:
    """The mistakes, or the decisions that may have been some, the worst first: a row each."""
    name = "unclear" if unclear else "errors"
    rows = [_row(each, lang) for each in (review.unclear if unclear else review.errors)]
    columns = ("round", "draw", "seat", "hand", "taken", "better", "cost", "interval", "kind")
    return Sheet(t(f"review.sheet.{name}", lang), _headers(columns, lang), rows, (0, 1, 2, 6, 7), "")


def totals(review: Review, lang: str) -> Sheet:
    """What each kind has cost: all seats together, and each."""
    seats = [rating.seat for rating in review.ratings]
    headers = _headers(("kind", "number", "lost", "interval"), lang)
    headers += [t("review.column.of_seat", lang, seat=seat) for seat in seats]
    rows = [_total(total, seats, lang) for total in review.totals]
    return Sheet(t("review.sheet.totals", lang), headers, rows, tuple(range(1, len(headers))), "")


def ratings(review: Review, lang: str) -> Sheet:
    """How each seat did."""
    columns = ("seat", "rounds", "decisions", "number", "unclear", "lost", "a_round", "interval")
    rows = [_rating(rating) for rating in review.ratings]
    return Sheet(t("review.sheet.ratings", lang), _headers(columns, lang), rows, tuple(range(len(columns))), "")


def notes(review: Review, lang: str) -> Iterator[str]:
    """What the figures mean and what they rest on, a line each."""
    settings = review.settings
    yield t("review.note.cost", lang, precision=settings.precision)
    if review.errors:
        yield t("review.note.level", lang)
    if any(each.belief == "uniform" for each in (*review.errors, *review.unclear)):
        yield t("review.note.uniform", lang)
    unanswered = sum(rating.unanswered for rating in review.ratings)
    if unanswered:
        yield t("review.note.unanswered", lang, decisions=counted("decision", unanswered, lang))
    yield t(
        "review.note.settings",
        lang,
        **(vars(settings) | {"rules": ", ".join(settings.rules), "worlds": f"{settings.worlds:,}"}),
    )


def kind_words(kind: str, lang: str) -> str:
    """Name a kind of mistake."""
    return t(f"review.kind.{kind}", lang)


def hand_words(position: Position, lang: str) -> str:
    """The hand as it was seen: concealed tiles, the one just drawn apart, melds, and a tile on offer."""
    counts = [position.hand.count(slot) for slot in range(NUM_SLOTS)]
    if position.drawn is not None:
        counts[position.drawn] -= 1
    melds = [f"{t(f'records.meld.{kind}', lang)}:{tile_name(slot, lang)}" for kind, slot in position.melds or ()]
    said = " ".join([format_hand(counts, lang), *melds])
    if position.drawn is not None:
        return t("review.hand.drawn", lang, hand=said, tile=tile_name(position.drawn, lang))
    if position.offered is not None:
        return t("review.hand.offered", lang, hand=said, tile=tile_name(position.offered, lang))
    return said


def _headers(columns: Sequence[str], lang: str) -> list[str]:
    return [t(f"review.column.{name}", lang) for name in columns]


def _row(judged: Judged, lang: str) -> list[str]:
    faced, cost = judged.faced, judged.cost
    assert judged.taken is not None
    assert judged.better is not None
    assert cost is not None
    return [
        str(faced.round),
        str(faced.draw),
        str(faced.seat),
        hand_words(faced.position, lang),
        arm_words(judged.taken, lang),
        arm_words(judged.better, lang),
        signed(cost.mean).removeprefix("+"),
        interval(cost.low, cost.high),
        kind_words(judged.kind, lang) + ("*" if judged.belief == "uniform" else ""),
    ]


def _total(total: Total, seats: Sequence[int], lang: str) -> list[str]:
    shares = (_share(total.seats.get(seat), lang) for seat in seats)
    return [kind_words(total.kind, lang), str(total.all.number), *_lost(total.all), *shares]


def _share(lost: Sum | None, lang: str) -> str:
    return "–" if lost is None else t("review.share", lang, number=lost.number, lost=f"{lost.mean:.2f}")


def _rating(rating: Rating) -> list[str]:
    counts = (rating.seat, rating.rounds, rating.decisions, rating.errors, rating.unclear)
    return [*map(str, counts), f"{rating.lost.mean:.2f}", *_lost(rating.lost.over(rating.rounds))]


def _lost(lost: Sum) -> tuple[str, str]:
    return f"{lost.mean:.2f}", interval(lost.low, lost.high) if lost.number else "–"

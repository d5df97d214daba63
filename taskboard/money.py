"""Amounts: whole micro-USD inside, exact on both databases; Decimal at the edge."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from taskboard.errors import BadInput

MICRO = Decimal(1_000_000)
LARGEST = Decimal(1_000_000_000)


def to_micro(amount: Decimal | str | int | float, field: str = "") -> int:
    """Micro-USD of an amount in USD; raises BadInput for anything else (text, NaN, negative, too large)."""
    try:
        value = Decimal(str(amount))
    except InvalidOperation as error:
        raise BadInput(f"{str(amount)[:40]!r} is not an amount in USD, such as 20 or 7.35.", field) from error
    if not value.is_finite() or not 0 <= value <= LARGEST:
        raise BadInput("An amount in USD is between 0 and 1,000,000,000.", field)
    return int((value * MICRO).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def to_usd(micro: int) -> Decimal:
    """The exact amount in USD, without trailing zeros beyond the cents."""
    value = (Decimal(micro) / MICRO).normalize()
    return value if -value.as_tuple().exponent > 2 else value.quantize(Decimal("0.01"))  # type: ignore[operator]

"""A stand-in for TradingAgents 0.3.0: the first of the five words, or the default."""

WORDS = ("Buy", "Overweight", "Hold", "Underweight", "Sell")


def parse_rating(text: str, default: str = "Hold") -> str:
    words = [each.strip("*:.,").capitalize() for each in text.split()]
    return next((each for each in words if each in WORDS), default)

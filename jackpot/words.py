"""How is a number of things said? For commands, pages and logs."""


def counted(number: int, what: str) -> str:
    """So many of something, in words: "1 hit", "2 hits", "3 entries"."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {plural(what)}"


def plural(what: str) -> str:
    """More than one of something."""
    if what == "person":
        return "people"
    return f"{what[:-1]}ies" if what.endswith("ry") else f"{what}s"


def ago(seconds: float) -> str:
    """How long ago something was, in words: "12 s ago", "3 min ago", "2 h ago"."""
    for length, unit in ((3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{int(seconds // length):,} {unit} ago"
    return f"{max(0, int(seconds))} s ago"

"""Either kind of analysis, of a paytable or of a mystery link: made, and told in tables."""

from jackpot.config.writing import Writing
from jackpot.odds import mystery_sheets, sheets
from jackpot.odds.analysis import Analysis, AnalysisConditions, analyze
from jackpot.odds.mystery_analysis import MYSTERY, MysteryAnalysis, analyze_mystery, mystery_of
from jackpot.odds.sheets import DOLLARS, OddsTable
from jackpot.odds.subject import AnalyzedLink, OperatorChoices, subject_of

AnyAnalysis = Analysis | MysteryAnalysis


def wished(name: str, wish: OperatorChoices) -> AnalyzedLink:
    """A paytable of the catalogue, or a mystery link, as an operator would offer it. Raises AnalysisError."""
    return mystery_of(wish) if name == MYSTERY else subject_of(name, wish)


def analysis_of(subject: AnalyzedLink, tonight: AnalysisConditions) -> AnyAnalysis:
    """The whole analysis of a link. Raises AnalysisError."""
    return analyze_mystery(subject, tonight) if subject.terms.mystery else analyze(subject, tonight)


def sheets_of(analysis: AnyAnalysis, money: Writing = DOLLARS) -> list[OddsTable]:
    """All tables, in the order in which people ask for them; none is empty."""
    if isinstance(analysis, MysteryAnalysis):
        return mystery_sheets.sheets_of(analysis, money)
    return sheets.sheets_of(analysis, money)


def facts_of(analysis: AnyAnalysis, money: Writing = DOLLARS) -> list[tuple[str, str]]:
    """The subject of the analysis, line by line."""
    if isinstance(analysis, MysteryAnalysis):
        return mystery_sheets.facts_of(analysis, money)
    return sheets.facts_of(analysis, money)

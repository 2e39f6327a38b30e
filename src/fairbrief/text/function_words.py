"""English words that name nobody and nothing: what a comparison of contents leaves out."""

from __future__ import annotations

PRONOUNS = frozenset(
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themself themselves one ones oneself "
    "this that these those who whom whose which what whatever whoever someone anyone everyone nobody "
    "something anything everything nothing somebody anybody everybody none".split()
)
ARTICLES = frozenset("a an the".split())
CONJUNCTIONS = frozenset(
    "and or but nor so yet if because although though while whereas unless until since when whenever "
    "where wherever as than whether either neither both however therefore thus hence moreover".split()
)
PREPOSITIONS = frozenset(
    "about above across after against along among amid around at before behind below beneath beside besides "
    "between beyond by despite down during except for from in inside into like near of off on onto out "
    "outside over per through throughout to toward towards under up upon via with within without".split()
)
AUXILIARIES = frozenset(
    "am is are was were be been being do does did doing done have has had having can could shall should "
    "would will may might must ought not no cannot".split()
)
ADVERBS = frozenset(
    "also again already almost always ever never even just only quite rather still then there here now too "
    "very well once twice often perhaps maybe soon later meanwhile instead indeed otherwise further "
    "furthermore how why more most less least much many few several some any all each every other another "
    "such same own".split()
)

FUNCTION_WORDS = PRONOUNS | ARTICLES | CONJUNCTIONS | PREPOSITIONS | AUXILIARIES | ADVERBS
"""Lower-case closed-class words of English."""

CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december spring summer autumn winter christmas easter".split()
)
"""Words of the calendar, which English writes with a capital."""

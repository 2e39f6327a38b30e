"""English words that name nobody and nothing: what a comparison of contents leaves out."""

from __future__ import annotations

# What every reading leaves out, gathered by class and not taken from another list.
# Frozen: a change moves numbers. So are the words that each reading adds to these.
_CLASSES = {
    "pronouns": "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself "
    "she her hers herself it its itself they them their theirs themselves one ones oneself this that these those "
    "who whom whose which what whatever whoever none",
    "articles": "a an the",
    "conjunctions": "and or but nor so yet if because although though while whereas unless until since when whenever "
    "where wherever as than whether either neither both however therefore thus hence",
    "prepositions": "about above across after against along among around at before behind below beneath beside besides "
    "between beyond by despite down during except for from in inside into near of off on onto out outside over per "
    "through throughout to toward towards under up upon via with within without",
    "auxiliaries": "am is are was were be been being do does did doing done have has had having can could shall should "
    "would will may might must ought not no cannot",
    "adverbs and quantifiers": "also again already almost ever never even just only quite rather still then there here "
    "now too very once how why more most much many few several some any all each every other another such same own",
}
CLOSED_CLASSES = frozenset(word for words in _CLASSES.values() for word in words.split())
"""Lower-case closed-class words of English."""

FUNCTION_WORDS = CLOSED_CLASSES | frozenset(
    "anybody anyone anything everybody everyone everything nobody nothing somebody someone something themself "
    "moreover amid like always further furthermore indeed instead later least less maybe meanwhile often otherwise "
    "perhaps soon twice well".split()
)
"""Those, and more that are no part of a name: compounds of -body, -one and -thing, linking adverbs."""

CALENDAR = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december spring summer autumn winter christmas easter".split()
)
"""Words of the calendar, which English writes with a capital."""

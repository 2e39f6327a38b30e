"""Human annotation of summaries: sheets with questions, the answers, agreement, and statistics of both.

An *item* is one question about one part of one case: which values entail a claim, how fairly a value is represented,
in which direction a summary leans, which of two is fairer, whether it mentions a person.
"""

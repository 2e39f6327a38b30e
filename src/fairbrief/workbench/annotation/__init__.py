"""What people judge of summaries: sheets and pages to ask them, their answers, agreement, and what follows.

An *item* is one question about one part of one case: which values entail a claim, how fairly a value is
represented, which way a summary leans, which of two is fairer, whether it mentions a person.
"""

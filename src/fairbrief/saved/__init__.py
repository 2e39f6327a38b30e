"""Questions to audits that were written down: compare, gate, power, subgroups, ranking, agreement, explanations, pages."""

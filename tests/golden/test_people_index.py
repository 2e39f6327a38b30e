"""Which test compares which part of the golden folder about people: a part that no test compares turns this red."""

from __future__ import annotations

import json
from pathlib import Path

GOLDEN = Path(__file__).parent

COMPARED = {
    "templates.json": {
        "*": "test_templates_are_the_codes_but_for_decisions, test_places_of_mentions_and_placeholder_texts_are_the_codes, "
        "test_names_are_the_codes_but_for_case, test_words_that_look_like_traces_stay, "
        "test_who_varies_and_which_documents_are_kept_is_the_codes, test_overlapping_mentions_are_those_of_nested_couples",
    },
    "templates_raw_only.json": {
        "*": "test_templates_are_the_codes_but_for_decisions, test_places_of_mentions_and_placeholder_texts_are_the_codes",
    },
    "fill_cases.json": {
        "*": "test_fills_are_the_codes_but_for_decisions, test_fills_without_pronouns_leave_pronouns_alone, "
        "test_overlapping_mentions_are_those_of_nested_couples",
    },
    "docs.conll": {"*": "test_both_formats_of_ontonotes_give_the_same_records"},
    "raw": {"*": "test_both_formats_of_ontonotes_give_the_same_records"},
    "raw_only": {"*": "test_templates_are_the_codes_but_for_decisions"},
    "instances": {
        "*": "test_the_published_instances_are_filled_alike, test_the_parsed_sets_are_the_instances_with_summaries"
    },
    "parsed_gender_balanced.jsonl": {"*": "test_inclusion_as_published_equals_the_release"},
    "parsed_gender_balanced_pair0.jsonl": {"*": "test_inclusion_as_published_equals_the_release"},
    "parsed_gender_mono.jsonl": {"*": "test_distinguishability_as_published_equals_the_release"},
    "parsed_race_balanced.jsonl": {"*": "test_inclusion_as_published_equals_the_release"},
    "parsed_race_mono.jsonl": {"*": "test_distinguishability_as_published_equals_the_release"},
    "golden_measures.json": {
        "n": "test_the_parsed_sets_are_the_instances_with_summaries, test_the_golden_sets_are_complete",
        "inclusion_counts": "test_inclusion_as_published_equals_the_release",
        "entity_inclusion": "test_inclusion_as_published_equals_the_release, test_both_intervals_lie_near_those_of_the_release",
        "word_list": "test_word_list_inclusion_equals_the_release, test_both_intervals_lie_near_those_of_the_release",
        "hallucination": "test_hallucination_as_published_equals_the_release, test_both_intervals_lie_near_those_of_the_release",
        "alignments": "test_every_alignment_as_published_equals_the_release",
        "count": "test_distinguishability_as_published_equals_the_release, "
        "test_distinguishability_has_the_releases_interval_over_seed_documents",
        "anonymized_first20": "test_distinguishability_as_published_equals_the_release",
        # The stand-in embedder is not part of the folder: its vectors cannot be made again. The texts that it read
        # are compared, and how similarities become a score is the same code as for counts.
        "dense_stub": "test_distinguishability_as_published_equals_the_release",
    },
    "golden_units.json": {
        "classify_mention": "test_pronouns_and_titles_are_the_codes_but_for_hers_his_own_miss_and_mr",
        "realization": "test_realised_mentions_are_the_codes_but_for_all_capitals",
        "format_text": "test_words_are_set_as_the_code_does_but_for_possessives_brackets_and_quotes",
        "adjusted_max_odds_ratio": "test_odds_as_published_equal_the_release_with_its_infinities",
        "adjusted_max_odds_ratio_python_float_p1": "test_a_share_of_one_is_infinite_odds_and_no_error",
        "inclusion_matrix": "test_pooled_counts_give_the_releases_inclusion",
        "tvd_wordlist": "test_total_variation_of_word_lists_equals_the_release",
        "tvd_uniform_hallucination": "test_total_variation_to_uniform_equals_the_release",
        "wordlist_text": "test_word_counts_equal_the_release_except_for_words_joined_by_a_slash",
        "align_instructions": "test_alignment_as_published_equals_every_edge_case",
        "align": "test_alignment_as_published_equals_every_edge_case, "
        "test_alignment_departs_from_the_release_only_where_it_is_at_fault",
        "name_classifier": "test_genders_of_names_equal_the_release_except_where_the_paper_says_otherwise",
        "hallucination_filter": "test_hallucination_filters_names_as_the_release_does, "
        "test_without_an_invented_person_of_known_gender_the_score_is_undefined_and_no_error, "
        "test_a_seed_document_without_inventions_does_not_undo_the_interval",
        "anonymize": "test_anonymisation_as_published_equals_the_release_where_it_does_not_fail",
        "distinguishability_count": "test_distinguishability_edge_cases, "
        "test_distinguishability_as_published_counts_what_cannot_be_compared_as_wrong",
        "tie_rounding": "test_strict_ties_give_the_scores_of_the_papers_equation, "
        "test_per_seed_document_scores_with_a_tolerance_are_those_of_the_release",
        "bootstrap": "test_both_bootstraps_of_small_sets_equal_the_release, "
        "test_the_interval_of_scores_of_seed_documents_is_that_of_all_resamples, "
        "test_an_infinite_resample_makes_an_infinite_bound_and_no_undefined_one",
        "generator": "test_pairs_split_people_and_share_names_as_the_code_does, "
        "test_what_the_code_can_always_fill_is_filled_and_what_it_may_fail_writes_no_row, "
        "test_a_seed_document_that_runs_out_of_names_leaves_no_part_of_its_set, "
        "test_requests_on_which_the_code_breaks_are_answered_or_refused_by_name",
        "identical_summaries_count_scan": "test_identical_texts_of_any_length_are_never_told_apart",
    },
    "reference_paper_only.json": {
        "mini_docs": "test_topics_and_majorities_equal_the_reference",
        "majority": "test_topics_and_majorities_equal_the_reference",
        "topic": "test_topics_and_majorities_equal_the_reference",
        "n_tokens": "test_distinctive_words_equal_the_reference",
        "vocab": "test_fightin_words_reference",
        "z": "test_distinctive_words_equal_the_reference",
        "baselines": "test_lead_and_sexist_choose_as_the_reference, test_topic_writes_one_three_or_six_sentences, "
        "test_planted_systems_score_as_in_the_reference, test_our_planted_lead_scores_as_the_reference",
        "rts_prompt": "test_relevance_is_asked_in_our_words_for_what_the_papers_prompt_asks",
        "rts_parse": "test_replies_are_read_as_in_the_reference",
    },
    "tie_scan.json": {
        "3v3_random_counts": "test_random_identical_texts_are_never_told_apart",
        "5v5_random_counts": "test_random_identical_texts_are_never_told_apart",
        "8v8_random_counts": "test_random_identical_texts_are_never_told_apart",
        "10v10_random_counts": "test_random_identical_texts_are_never_told_apart",
        "12v12_random_counts": "test_random_identical_texts_are_never_told_apart",
        "matched_5A5B_vs_5A5B": "test_matched_groups_score_minus_one_as_in_the_release",
        "matched_9A1B_vs_9A1B": "test_matched_groups_score_minus_one_as_in_the_release",
        "null_mean_random_labels_2_texts": "test_random_labels_score_zero_on_average_as_in_the_release",
        "null_mean_random_labels_continuous": "test_random_labels_score_zero_on_average_as_in_the_release",
    },
    "null_ci.json": {
        "*": "test_a_folded_lower_bound_above_zero_says_nothing_and_the_signed_contrast_holds",
    },
}
"""By file and block (``*``: all of it), the tests that compare it. Sets of ``golden_measures.json`` are read through."""


def test_the_golden_sets_are_complete(golden: Path) -> None:
    """Every golden set has as many instances as its scores were made from."""
    measures = json.loads((golden / "people" / "golden_measures.json").read_text("utf-8"))
    for name, blocks in measures.items():
        path = golden / "people" / f"parsed_{name.removesuffix('_entity')}.jsonl"
        assert len(path.read_text("utf-8").splitlines()) == blocks["n"]


def test_every_golden_file_and_block_is_compared_by_a_test(golden: Path) -> None:
    """No file and no block of the folder is without a test, and every test that is named exists."""
    folder = golden / "people"
    assert set(COMPARED) == {path.name for path in folder.iterdir()}
    for name, blocks in COMPARED.items():
        if "*" in blocks:
            continue
        found = json.loads((folder / name).read_text("utf-8"))
        keys = (
            {k for block in found.values() for k in block} if name == "golden_measures.json" else set(found)
        )
        assert set(blocks) == keys, name
    source = "".join(
        p.read_text("utf-8") for p in GOLDEN.parent.rglob("test_*.py") if p.name != Path(__file__).name
    )
    source += "def test_the_golden_sets_are_complete("
    named = {test for blocks in COMPARED.values() for tests in blocks.values() for test in tests.split(", ")}
    assert {test for test in named if f"def {test}(" not in source} == set()

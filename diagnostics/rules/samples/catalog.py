"""The catalogue of the checks of samples, one file each, in the order of their codes."""

from typing import Any

from diagnostics.rules.samples.sample_rule import SampleRule
from diagnostics.rules.samples.smp_bimodal import SmpBimodal
from diagnostics.rules.samples.smp_boilerplate import SmpBoilerplate
from diagnostics.rules.samples.smp_double_bos import SmpDoubleBos
from diagnostics.rules.samples.smp_empty import SmpEmpty
from diagnostics.rules.samples.smp_exclaim_emoji import SmpExclaimEmoji
from diagnostics.rules.samples.smp_format_without_answer import SmpFormatWithoutAnswer
from diagnostics.rules.samples.smp_group_duplicates import SmpGroupDuplicates
from diagnostics.rules.samples.smp_language_drift import SmpLanguageDrift
from diagnostics.rules.samples.smp_loop_tail import SmpLoopTail
from diagnostics.rules.samples.smp_nonlanguage import SmpNonlanguage
from diagnostics.rules.samples.smp_prompt_copy import SmpPromptCopy
from diagnostics.rules.samples.smp_prompts_identical import SmpPromptsIdentical
from diagnostics.rules.samples.smp_query_dominated import SmpQueryDominated
from diagnostics.rules.samples.smp_repetition import SmpRepetition
from diagnostics.rules.samples.smp_score_gain_by_length import SmpScoreGainByLength
from diagnostics.rules.samples.smp_score_identical import SmpScoreIdentical
from diagnostics.rules.samples.smp_score_inconsistent import SmpScoreInconsistent
from diagnostics.rules.samples.smp_score_length import SmpScoreLength
from diagnostics.rules.samples.smp_score_outlier import SmpScoreOutlier
from diagnostics.rules.samples.smp_special_leak import SmpSpecialLeak
from diagnostics.rules.samples.smp_template_collapse import SmpTemplateCollapse
from diagnostics.rules.samples.smp_truncated import SmpTruncated
from diagnostics.rules.samples.smp_vocabulary_collapse import SmpVocabularyCollapse

SAMPLE_RULES: tuple[SampleRule[Any], ...] = (
    SmpTruncated(),
    SmpEmpty(),
    SmpFormatWithoutAnswer(),
    SmpSpecialLeak(),
    SmpDoubleBos(),
    SmpRepetition(),
    SmpLoopTail(),
    SmpGroupDuplicates(),
    SmpTemplateCollapse(),
    SmpBoilerplate(),
    SmpPromptCopy(),
    SmpVocabularyCollapse(),
    SmpExclaimEmoji(),
    SmpNonlanguage(),
    SmpLanguageDrift(),
    SmpScoreLength(),
    SmpScoreGainByLength(),
    SmpQueryDominated(),
    SmpScoreIdentical(),
    SmpScoreInconsistent(),
    SmpScoreOutlier(),
    SmpBimodal(),
    SmpPromptsIdentical(),
)

"""What the Snakemake workflow needs from the package besides the science.

`config` checks settings and gives each rule its own, `digest` tells a rule which code it runs,
`graph` which job makes which file and why anew,
`jobs` is the frame of every script, `run` starts and resumes the workflow for `make reproduce`,
`records` has what jobs took and says what a run will take,
`snakemake_patches` has all that reaches into the inside of Snakemake,
`reference` makes and merges results at the scale of the papers,
`generated` writes the files that follow from others, `profile` that for clusters.
"""

from hedgerow_study.workflow.config import (
    check_config,
    check_datasets,
    chunks,
    cohort_facts,
    printed_sizes,
    published_keys,
    settings,
    stated,
)
from hedgerow_study.workflow.data_files import DataFiles
from hedgerow_study.workflow.digest import (
    digest_of,
    entry_digests,
    script_digest,
    source_digests,
    take_sources,
)
from hedgerow_study.workflow.graph import Graph, given

__all__ = [
    "DataFiles",
    "Graph",
    "check_config",
    "check_datasets",
    "chunks",
    "cohort_facts",
    "digest_of",
    "entry_digests",
    "given",
    "printed_sizes",
    "published_keys",
    "script_digest",
    "settings",
    "source_digests",
    "stated",
    "take_sources",
]

"""Tables 3.2 and 3.3 measured beside published, and the data of the figures."""

from hedgerow.workflow.jobs import declared_plan, job, write_csv

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.soft_illustration import tables as soft_illustration_tables
    from hedgerow.experiments.soft_illustration.plan import SoftIllustrationPlan

    plan = declared_plan(SoftIllustrationPlan, snakemake.params.plan)
    results = {Path(path).stem: pd.read_parquet(path) for path in snakemake.input.results}
    for name, path in snakemake.output.items():
        if name.endswith("_data"):
            write_csv(path, results[name.removesuffix("_data")])
        else:
            # Output, published file and function share the table's id.
            published = pd.read_csv(getattr(snakemake.input, name))
            write_csv(path, getattr(soft_illustration_tables, name)(results[name], published, plan))

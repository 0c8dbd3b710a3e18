"""The sweep in numbers, and the means that its statement speaks of."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft_sweep import tables as soft_sweep_tables
    from hedgerow.experiments.soft_sweep.plan import SweepPlan

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    sweep = declared_plan(SweepPlan, snakemake.params.plan)
    # Outputs and functions share the table's id.
    for name, path in snakemake.output.items():
        write_csv(path, getattr(soft_sweep_tables, name)(rows, sweep))

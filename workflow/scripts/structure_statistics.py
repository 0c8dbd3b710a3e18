"""Put the chunks of one data set together; bootstrap over the trees of each forest."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.structure import plan as structure_plan
    from hedgerow.experiments.structure import statistics as structure_statistics
    from hedgerow.experiments.structure import steps as structure_steps

    dataset = snakemake.wildcards.dataset
    plan = declared_plan(structure_plan.StructurePlan, snakemake.params.plan, [dataset])
    whole = {
        name: structure_steps.merge([pd.read_parquet(p) for p in snakemake.input.get(name)], name)
        for name in structure_plan.ORDER
    }
    whole["statistics"] = structure_statistics.statistics(
        whole["distances"], whole["forests"], plan
    )
    write_each(snakemake.output, whole, write_parquet)

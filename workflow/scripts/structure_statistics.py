"""Put the chunks of one data set together; bootstrap over the trees of each forest."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments import structure

    dataset = snakemake.wildcards.dataset
    plan = declared_plan(structure.StructurePlan, snakemake.params.plan, [dataset])
    whole = {
        name: structure.merge([pd.read_parquet(p) for p in snakemake.input.get(name)], name)
        for name in structure.ORDER
    }
    whole["statistics"] = structure.statistics(whole["distances"], whole["forests"], plan)
    write_each(snakemake.output, whole, write_parquet)

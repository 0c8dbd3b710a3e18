# The workflow, and each of its results in a storage as well (docs/running.md):
#
#     export HEDGEROW_STORE=s3://bucket/folder
#     snakemake --snakefile workflow/stored.smk --cores 2 stored
#
# What comes before the colon names Snakemake's storage plugin; its own options are those of its
# command line (--storage-s3-endpoint-url) or its variables of the environment.
import os
import shutil


include: "Snakefile"


store = os.environ.get("HEDGEROW_STORE", "").rstrip("/")
if ":" not in store:
    sys.exit(
        "HEDGEROW_STORE has to say where results go, such as s3://bucket/folder; set it"
    )


storage:
    provider=store.partition(":")[0],


# A copy there of any file here
rule store:
    input:
        "{file}",
    output:
        storage(f"{store}/{{file}}"),
    message:
        "Storing {wildcards.file}"
    shell:
        "cp {input:q} {output:q}"


# Pages of the site that are a parameter of rule report (workflow/rules/report.smk)
rule store_pages:
    input:
        rules.report.output,
    output:
        [storage(f"{store}/{page}") for page in site_pages],
    message:
        "Storing the pages of the site"
    run:
        for page, copy in zip(site_pages, output, strict=True):
            shutil.copyfile(page, copy)


ruleorder: store_pages > store


# Everything that the report rests on and the report: `stored`; of one experiment: `stored_soft`
for word in ("all", *WORDS):

    rule:
        name:
            f"stored_{word}" if word in WORDS else "stored"
        input:
            [
                storage(f"{store}/{file}")
                for file in dict.fromkeys(
                    [
                        *getattr(rules, word).input,
                        *(site_pages if word == "all" else []),
                    ]
                )
            ],

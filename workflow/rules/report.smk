# The page and the manifest: seconds, which on a cluster are spent where Snakemake is.

# What each experiment adds to both, in the order of the page, which is that of the experiments.
reported |= {w: globals()[f"{w}_reported"] for w in WORDS if w not in reported}
reported = {w: reported[w] for w in WORDS if w in config["experiments"]}
reported_datasets = sorted({d for r in reported.values() for d in r["datasets"]})

# The commit, and what differs from it; pages hold what differs, so that no commit rewrites them.
state = State()


# Folders of the site hold a page per claim, data set, source and table. Snakemake spends a
# millisecond on each output whenever it plans: these pages are a parameter (`pages`) instead, and
# one output has their checksums. `hedgerow_study.workflow.planning.changed_outputs` looks at them
# all the same.
site_outputs, site_pages = site_files(
    reported, reported_datasets, cell_files(r["made"] for r in reported.values())
)


# The site, a page per experiment, claim, data set and source. What it shows of texts that decide
# nothing, such as comments, is a parameter: an edit of one rewrites the site and nothing else.
rule report:
    input:
        sections=expand("data/results/{word}/section.json", word=reported),
        sources=data_files.records(reported_datasets),
        claims=rules.claims.output[0],
        comparison=[rules.comparison.output.csv, rules.comparison_figure.output],
        misprints=rules.misprints.output,
        cells=cell_files(r["made"] for r in reported.values()),
        statements="data/published/claims.csv",
        findings="config/findings.yaml",
        # Tracked: draws of `hedgerow verify`, and printed cells at the scale of the papers.
        reference=site_reference(),
        registry=config["registry"],
        citation="CITATION.cff",
    output:
        *site_outputs,
        pages="reports/pages.json",
    log:
        "data/logs/report.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        configuration=config["configuration"],
        seed=config["seed"],
        used={word: r["datasets"] for word, r in reported.items()},
        pages=site_pages,
        sources=text_digest(site_sources(reported)),
        checkout=state.shown,
        local_data=data_files.notes(reported_datasets),
        script=script_digest("report"),
        code=digest_of(
            "reporting.html:Section",
            "workflow.showing.site:content",
            "reporting.site:pages",
        ),
    message:
        "The report"
    script:
        "../scripts/report.py"


# The run for archives: the same files, with licences and citations.
rule crate:
    input:
        citation=rules.report.input.citation,
        registry=config["registry"],
        sources=data_files.records(reported_datasets),
        raw=data_files.files(reported_datasets),
        read=[
            config["registry"],
            rules.report.input.citation,
            *sorted(
                {path for r in [*reported.values(), audited] for path in r["read"]}
            ),
        ],
        made=paths_of(
            [
                expand("data/tidy/{dataset}.parquet", dataset=reported_datasets),
                [r["made"] for r in [*reported.values(), audited]],
                rules.report.output,
            ]
        ),
    output:
        "reports/ro-crate-metadata.json",
    log:
        "data/logs/crate.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        configuration=result_settings(config),
        site=site_pages,
        checkout=state.digest,
        state=state.content,
        script=script_digest("crate"),
        code=digest_of("reporting.crate:crate"),
    message:
        "The run as an RO-Crate"
    script:
        "../scripts/crate.py"


# Every file between download and report, with what made it. The registry is read here as a whole:
# an edit of it rewrites this file and nothing else. The graph is that of the process that plans,
# so that the job stays there on a cluster. What it lists is what the crate has read, and the crate:
# Snakemake need not look for the makers of all these files once more.
graph = Graph(workflow)


rule manifest:
    input:
        rules.crate.output,
    output:
        manifest="reports/manifest.json",
        sums="reports/SHA256SUMS",
    log:
        "data/logs/manifest.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        configuration=config,
        given=given(workflow),
        sources=data_files.records(reported_datasets),
        raw=data_files.files(reported_datasets),
        read=paths_of(rules.crate.input.read),
        made=paths_of([rules.crate.input.made, site_pages, rules.crate.output]),
        graph=graph.digest,
        jobs=graph.jobs,
        checkout=state.digest,
        state=state.content,
        datasets=data_files.sources(reported_datasets),
        script=script_digest("manifest"),
        code=digest_of(
            "reporting.manifest:manifest",
            "reporting.manifest:sums",
            "reporting.manifest:to_json",
        ),
    message:
        "The manifest"
    script:
        "../scripts/manifest.py"

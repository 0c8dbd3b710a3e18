# The last steps of the experiments, which are alike: what each reads stands in `tails`.
for word, tail in tails.items():

    if tail.parts:

        rule:
            name:
                f"{word}_statistics"
            input:
                **tail.parts,
            output:
                **tail.statistics,
            log:
                f"data/logs/{word}/statistics.log",
            conda:
                "../../environment.yml"
            params:
                **tail.params(config, "statistics"),
            message:
                f"Significance tests of {tail.title}"
            script:
                "../scripts/step.py"

    rule:
        name:
            f"{word}_tables"
        input:
            **tail.inputs("tables"),
        output:
            **tail.shown(config, "tables"),
        log:
            f"data/logs/{word}/tables.log",
        conda:
            "../../environment.yml"
        params:
            **tail.params(config, "tables"),
        message:
            f"Tables of {tail.title}"
        script:
            "../scripts/step.py"

    tables = getattr(rules, f"{word}_tables").output

    rule:
        name:
            f"{word}_figures"
        input:
            **tail.inputs("figures", tables=tables),
        output:
            **tail.shown(config, "figures"),
        log:
            f"data/logs/{word}/figures.log",
        conda:
            "../../environment.yml"
        params:
            **tail.params(config, "figures"),
        message:
            f"Figures of {tail.title}"
        script:
            "../scripts/step.py"

    figures = getattr(rules, f"{word}_figures").output
    claims = [tail.file("claims")] if tail.judged else []
    if tail.judged:

        rule:
            name:
                f"{word}_claims"
            input:
                **tail.inputs("claims"),
            output:
                *claims,
            log:
                f"data/logs/{word}/claims.log",
            conda:
                "../../environment.yml"
            params:
                **tail.params(config, "claims"),
            message:
                f"Claims of {tail.title}"
            script:
                "../scripts/step.py"

    rule:
        name:
            f"{word}_page"
        input:
            **tail.inputs(
                "page",
                tables=tables,
                figures=figures,
                captions=[tables, figures],
                claims=claims,
            ),
        output:
            f"data/results/{word}/section.json",
        log:
            f"data/logs/{word}/page.log",
        conda:
            "../../environment.yml"
        params:
            **tail.params(config, "page"),
        message:
            f"{tail.title[0].upper()}{tail.title[1:]} in the report"
        script:
            "../scripts/step.py"

    section = getattr(rules, f"{word}_page").output

    # `snakemake --cores N soft` makes one experiment.
    rule:
        name:
            word
        input:
            tables,
            figures,
            claims,
            tail.made,
            tail.times,

    # For the manifest: the data sets of the experiment, what it read and did not make, and every
    # file that it made between download and report. `times` differ from run to run: they are made
    # with the rest and stand in no manifest.
    reported[word] = {
        "datasets": tail.datasets,
        "read": [
            *(CLAIM_FILES.values() if tail.judged else ()),
            *tail.files.get("published", ()),
            *tail.read,
        ],
        "made": [
            *tail.made,
            *tail.statistics.values(),
            tables,
            figures,
            claims,
            section,
        ],
        "times": tail.times,
    }

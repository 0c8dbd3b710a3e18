# The same workflow from the root of the repository: included rules never become the default
# target by themselves.
include: "workflow/Snakefile"


rule default:
    default_target: True
    input:
        rules.all.input,

"""What the Snakemake workflow needs from the package besides the science.

`run` starts and resumes it for `make reproduce`. The rest lies in rooms, each of which answers a
question; a room imports those before it:

`running` how Snakemake is run and what it reports meanwhile,
`settings` what is asked for,
`jobs` what a job runs and with what code,
`planning` which jobs a run will make and why, and what they will take,
`showing` what site, pages and generated files tell,
`references` what came out before, at the scale of the papers too.
"""

"""What the Snakemake workflow needs from the package besides the science.

`config` checks settings and gives each rule its own, `digest` tells a rule which code it runs,
`graph` which job makes which file and why anew,
`jobs` is the frame of every script, `run` starts and resumes the workflow for `make reproduce`,
`records` has what jobs took and says what a run will take,
`snakemake_patches` has all that reaches into the inside of Snakemake,
`reference` makes and merges results at the scale of the papers,
`generated` writes the files that follow from others, `profile` that for clusters.
"""

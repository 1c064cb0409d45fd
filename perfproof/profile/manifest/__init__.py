"""The metrics manifest: what to count on which chip, for which chapter, at what cost. Data with a validator.

`roles.toml` says how each chip calls what is measured; `chapters.toml` what each chapter, tag and preset asks for;
`aliases.toml` what wrong names are taken for. `counters.gz` (every counter of every chip) and `passes.json` (the cost
of each selection) are made by benchmarks/ncu_counter_lists.py. No GPU, no driver and no ncu are needed to check a name.
"""

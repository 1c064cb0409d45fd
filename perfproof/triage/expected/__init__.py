"""What each kind of hardware shows when it is healthy, as data (*.toml), and what of it this machine does not show.

    for symptom in sick(hardware, ceilings):   # documents of `perfproof hw` and `perfproof peak`; ceilings may be None
        print(symptom.severity, symptom)       # "sick": repair it first; "watch": know it before you believe a number

`examine` gives every check with pass, fail or not-run; `sick` those that failed. `examine_errors` looks at what
the GPUs counted: ECC errors, remapped rows, links that resend.
"""

from perfproof.triage.expected.checks import Expectation, Symptom, examine, sick
from perfproof.triage.expected.errors import examine_errors

__all__ = ["Expectation", "Symptom", "examine", "examine_errors", "sick"]

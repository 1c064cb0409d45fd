"""Take out of a bundle what must not leave the machine, and prove afterwards that it is gone.

    redactor = Redactor(key, hosts=["node17"], users=["ann"], homes=["/data/ann"])   # key None: 32 random bytes
    redactor = for_this_machine(key)               # the same, with the names of this machine and of its user filled in
    redactor.environment(os.environ)               # only allowed variables; call it FIRST: it learns the values of the
                                                   # secret ones, which are then hidden wherever they turn up
    redactor.text(text), redactor.json_value(obj)  # the same text, the same shape
    redactor.arguments(argv)                       # a command's words: also `--token VALUE`
    redactor.name("raw/node17.csv")                # a member's path within the bundle
    outcome = redact_file(redactor, source, target, kind)  # kind: text, json, csv, sqlite; None: told by the name
    outcome.done, outcome.why                      # not done: nothing was written to target, and why in a sentence
    redactor.counts                                # {"host": 3, "aws-key": 1}
    redactor.known                                 # values that were learned or replaced: for the scan, never stored

    leaks = scan_archive(path, redactor.known)     # .tgz, .tar, .zip, .gz or one plain file; [] when it is clean
    leaks[0].member, .kind, .form, .why            # a Leak never holds the value; str(leak) is one line

A pseudonym (`host-3f2a9c01b7`) is an HMAC of the value: the same within a bundle, so that a topology stays readable,
and of no use to anyone without the key. A secret becomes `[hidden-KIND]`. A file that cannot be looked through (an
.nsys-rep, a pickle, binary data, something too large) is left out: whatever is unsure does not travel.
"""

from perfproof.triage.redaction.archive_scan import Leak, scan_archive
from perfproof.triage.redaction.files import Outcome, redact_file
from perfproof.triage.redaction.redactor import Redactor
from perfproof.triage.redaction.this_machine import for_this_machine

__all__ = ["Leak", "Outcome", "Redactor", "for_this_machine", "redact_file", "scan_archive"]

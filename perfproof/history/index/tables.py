"""The tables of the index, the same in SQLite and in PostgreSQL.

runs          one row a run or imported file
results       one row a variant of a target in a run; of a target without a result one row with its status
environment   the fields of a run's machine and software that may explain a change
changes       what `history trend` found in a series, until it looks again

Times are in seconds, moments ISO 8601 in UTC, which sort as text.
"""

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, MetaData, Table, Text

metadata = MetaData()


def _run_column() -> Column[str]:
    return Column("run", Text, ForeignKey("runs.run", ondelete="CASCADE"), primary_key=True)


runs = Table(
    "runs",
    metadata,
    Column("run", Text, primary_key=True),
    Column("source", Text, nullable=False),  # perfproof, or the tool whose file was imported
    Column("state", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("finished", Text),
    Column("commit_id", Text),
    Column("branch", Text),
    Column("dirty", Boolean),
    Column("kind", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("device", Text, nullable=False),
    Column("effort", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("command", Text, nullable=False),
    Column("tags", Text, nullable=False),
)

results = Table(
    "results",
    metadata,
    _run_column(),
    Column("place", Integer, primary_key=True),  # of the target in the run
    Column("variant", Text, primary_key=True),
    Column("target", Text, nullable=False),
    Column("started", Text, nullable=False),  # of the run: a series is read from this table alone
    Column("kind", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("sizes", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("verdict", Text),
    Column("claim", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column("statistic", Text, nullable=False),  # what the times are: mean, or median in older runs and other tools
    Column("ratio", Float),
    Column("low", Float),
    Column("high", Float),
    Column("launches", Integer),
    Column("baseline_seconds", Float),
    Column("variant_seconds", Float),
    Column("tier", Text, nullable=False),
    Column("source_sha256", Text, nullable=False),
)

environment = Table(
    "environment",
    metadata,
    _run_column(),
    Column("field", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

changes = Table(
    "changes",
    metadata,
    Column("series", Text, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("target", Text, nullable=False),
    Column("variant", Text, nullable=False),
    Column("quantity", Text, nullable=False),
    Column("what", Text, nullable=False),  # step, drift or watch
    Column("run", Text, nullable=False),  # the first after it
    Column("started", Text, nullable=False),
    Column("shift", Float, nullable=False),  # a share: 0.05 is 5 % up
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    Column("fields", Text, nullable=False),  # of the environment, that changed there
)

version = Table("index_version", metadata, Column("version", Integer, nullable=False))

INDICES = (
    Index("results_by_series", results.c.target, results.c.variant, results.c.started),
    Index("runs_by_start", runs.c.started),
)

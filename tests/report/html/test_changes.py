"""What has changed between two revisions is on the page of their comparison, line by line."""

from perfproof.history.finding import CHANGES
from perfproof.report.html.changes import MOST_LINES, changes

DIFF = """diff --git a/query.sql b/query.sql
index 11..22 100644
--- a/query.sql
+++ b/query.sql
@@ -1,3 +1,3 @@ head
 select
--- a comment of SQL
+++ another
 from t
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+A = 1
"""


def kept(folder, text):
    (folder / CHANGES).write_text(text)
    return changes(folder)


def test_lines_are_marked_and_counted_and_the_names_of_files_are_no_lines(tmp_path):
    found = kept(tmp_path, DIFF)
    assert (found.files, found.added, found.removed, found.left_out) == (2, 2, 1, 0)
    marked = [(line.mark, line.text) for line in found.lines if line.mark != " "]
    assert marked == [("-", "-- a comment of SQL"), ("+", "++ another"), ("+", "A = 1")]
    assert [line.text for line in found.lines][3:6] == ["+++ b/query.sql", "@@ -1,3 +1,3 @@ head", "select"]


def test_a_long_diff_is_cut_and_what_is_left_out_is_counted(tmp_path):
    found = kept(tmp_path, DIFF + "+x\n" * MOST_LINES)
    assert len(found.lines) == MOST_LINES and found.left_out == len(DIFF.splitlines())
    assert found.added == 2 + MOST_LINES


def test_without_a_diff_there_is_nothing_to_show(tmp_path):
    assert changes(None) is None and changes(tmp_path) is None and kept(tmp_path, "") is None

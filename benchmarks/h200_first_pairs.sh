#!/usr/bin/env bash
# Verify and judge the first pairs on a GPU; writes run.json and the table under $1.
set -u
out=${1:?folder for the results}
python3 -m perfproof run ch01 ch07 --details --artifacts-dir "$out/artifacts" > "$out/table.txt" 2> "$out/progress.txt"
echo "exit $?" >> "$out/progress.txt"
cp "$out"/artifacts/*/run.json "$out/run.json"
cat "$out/progress.txt" "$out/table.txt"

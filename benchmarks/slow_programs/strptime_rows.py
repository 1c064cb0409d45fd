"""Turn an access log into requests per hour and the slowest paths."""

import random
from collections import Counter, defaultdict
from datetime import datetime, timedelta

random.seed(0)
start = datetime(2024, 3, 1)
lines = [
    f"{(start + timedelta(seconds=n // 20)).strftime('%d/%b/%Y:%H:%M:%S')} /item/{n % 97} {random.randint(1, 900)}"
    for n in range(400_000)
]

# %% parse
per_hour = Counter()
latency = defaultdict(list)
for line in lines:
    stamp, path, took = line.split()
    when = datetime.strptime(stamp, "%d/%b/%Y:%H:%M:%S")
    per_hour[when.replace(minute=0, second=0)] += 1
    latency[path].append(int(took))

# %% report
for path, values in sorted(latency.items(), key=lambda item: -sum(item[1]))[:5]:
    print(path, sum(values) / len(values))
print(per_hour.most_common(3))

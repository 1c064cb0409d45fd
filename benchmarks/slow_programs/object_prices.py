# %% prices of a basket
import numpy as np

rng = np.random.default_rng(1)
columns = {"open": rng.random(300_000), "close": rng.random(300_000), "ticker": [f"T{i}" for i in range(300_000)]}
table = np.array(list(zip(columns["open"], columns["close"], columns["ticker"])), dtype=object)

# %% daily returns, smoothed
returns = (table[:, 1] - table[:, 0]) / (table[:, 0] + 1)
for span in range(1, 18):
    returns = returns * 0.9 + np.roll(returns, span) * 0.1

# %%
print(returns.mean(), (returns * returns).sum())

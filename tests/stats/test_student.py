"""Against printed t tables, and the factors and smallest effects published with the design of the measurement."""

import math
import subprocess
import sys

import pytest

from perfproof.stats.student import detection_factor, quantile, two_sided


@pytest.mark.parametrize(
    ("probability", "freedom", "printed"),
    [(0.975, 4, 2.776), (0.95, 1, 6.314), (0.99, 9, 2.821), (0.995, 30, 2.750), (0.5, 7, 0.0)],
)
def test_quantiles_are_those_of_a_printed_table(probability, freedom, printed):
    assert quantile(probability, freedom) == pytest.approx(printed, abs=5e-4)


def test_a_two_sided_level_leaves_half_of_the_rest_on_each_side():
    assert two_sided(0.97, 7) == quantile(0.985, 7)


@pytest.mark.parametrize(("n", "published"), [(5, 1.53), (8, 1.55), (10, 1.55), (20, 1.57)])
def test_the_detection_factor_is_the_published_one(n, published):
    assert detection_factor(n - 1, 0.97) == pytest.approx(published, abs=0.005)


@pytest.mark.parametrize(("n", "published"), [(5, 2.26), (8, 1.49), (10, 1.27), (15, 0.98), (20, 0.82), (30, 0.66)])
def test_the_smallest_effect_in_units_of_the_sd_is_the_published_one(n, published):
    half_width = two_sided(0.97, n - 1) / math.sqrt(n)
    assert detection_factor(n - 1, 0.97) * half_width == pytest.approx(published, abs=0.0051)


@pytest.mark.parametrize(("n", "level"), [(5, 0.97), (8, 0.97), (8, 0.99), (20, 0.9998)])
def test_the_detection_factor_is_exact_under_the_definition_of_the_noncentral_t(n, level):
    """P(Z + shift > reach * S) = 0.9, integrated over the distribution of S, the sample sd."""
    freedom, reach = n - 1, two_sided(level, n - 1)
    shift = detection_factor(freedom, level) * reach
    step = 1e-4
    power = 0.0
    for index in range(1, 60_000):
        s = index * step
        log_density = (math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)) + (
            (freedom - 1) * math.log(s) - freedom * s * s / 2
        )
        power += step * math.exp(log_density) * 0.5 * math.erfc((reach * s - shift) / math.sqrt(2))
    assert power == pytest.approx(0.9, abs=1e-5)


def test_importing_the_package_does_not_import_scipy():
    modules = "carryover, isolation, judgement, memory, modes, quads, stopping, student, units, verdicts"
    code = (
        f"import sys; from perfproof.stats import {modules}; sys.exit(any(m.startswith('scipy') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""The table of `perf stat` for people, in the forms of several versions and locales."""

import pytest

from perfproof.core.errors import DocumentError
from perfproof.profile import reading
from perfproof.profile.readers.perf_stat_text import read

TEXT = """
 Performance counter stats for './run':

            646.07 msec task-clock:u              #    0.997 CPUs utilized
             1,096      page-faults:u             #    0.002 M/sec
       852,125,255      cycles:u                  #    1.319 GHz                      (83.35%)
       479,175,388      instructions:u            #    0.56  insn per cycle
                                                  #    0.06  stalled cycles per insn
   <not supported>      L1-dcache-loads
     1,002,614,251 ns   duration_time
            157.47 MiB  uncore_imc/cas_count_read/ #     0.00 DRAM_BW_Use
           137,167      cpu/event=0xc8,umask=0/k

       0.647801770 seconds time elapsed

       0.640123000 seconds user
"""
OLD = """ Performance counter stats for 'true':

       1660.048586      task-clock (msec)         #    1.000 CPUs utilized
                 3      context-switches          #    0.002 K/sec                    ( +-  2.10% )

       1.660692551 seconds time elapsed                                          ( +-  0.10% )
"""
GERMAN = """ Performance counter stats for 'true':

          1.234,50 msec task-clock                #    0,500 CPUs utilized
         1.234.567      cycles                    #    1,2 GHz                         (50,00%)

       0,002000000 seconds time elapsed
"""


def values(events):
    return {total.path[0]: total.values["value"] for total in events.totals}


def test_counts_times_and_values_with_units_are_read(write):
    events = reading.read(write(TEXT))
    found = values(events)
    assert (found["task-clock:u"], found["page-faults:u"], found["instructions:u"]) == (646.07, 1096, 479175388)
    assert (found["duration_time"], found["uncore_imc/cas_count_read/"]) == (1002614251, 157.47)
    assert found["cpu/event=0xc8,umask=0/k"] == 137167
    assert (found["time elapsed"], found["user"]) == (0.64780177, 0.640123)
    assert events.about["units"]["task-clock:u"] == "msec"
    assert "cycles:u" in events.warnings[0] and len(events.warnings) == 1


def test_what_was_not_counted_is_unknown_and_not_zero(write):
    events = read(write(TEXT))
    assert "L1-dcache-loads" in events.unknown and "L1-dcache-loads" not in values(events)


def test_the_older_form_has_its_unit_behind_and_a_spread_is_no_value(write):
    assert values(read(write(OLD))) == {"task-clock": 1660.048586, "context-switches": 3, "time elapsed": 1.660692551}


def test_another_locale_groups_and_points_the_other_way_round(write):
    assert values(read(write(GERMAN))) == {"task-clock": 1234.5, "cycles": 1234567, "time elapsed": 0.002}


def test_a_title_alone_is_an_error(write):
    with pytest.raises(DocumentError, match="no counter"):
        read(write(TEXT.splitlines()[1] + "\n"))

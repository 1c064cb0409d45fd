"""Pictures of one table, and of several with the names of their files."""

from pathlib import Path

from perfproof.cli.show.profile_pictures import MOST_FILES, pictures_of_all
from perfproof.profile.reading import read

MEMORY = Path(__file__).parents[2] / "profile" / "recorded_torch" / "memory_trace.json.gz"


def test_one_file_gives_its_step_memory_flame_graph_and_readings():
    found = pictures_of_all([("folder/it.json", read(MEMORY))], {})
    assert [one.heading for one in found] == ["One step", "Modules", "Memory, cpu", "Flame graph", "Readings"]


def test_of_several_files_each_picture_says_whose_it_is_and_no_name_comes_twice():
    tables = [(f"folder/rank{rank}.json", read(MEMORY)) for rank in range(MOST_FILES + 1)]
    found = pictures_of_all(tables, {"not a log": "Graph break in user code, said somebody"})
    assert len(found) == 5 * MOST_FILES and found[0].heading == "One step: rank0.json"
    assert len({one.ident for one in found}) == len(found)

"""The command line calls what is tested here: the fixtures are those of its tests."""

from tests.cli.conftest import *  # noqa: F403

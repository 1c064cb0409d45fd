"""What a generator or a coroutine has to do is done within the call."""

import asyncio

import pytest

from perfproof.worker.completed import completed


async def doubled(x):
    await asyncio.sleep(0)
    return 2 * x


async def together(x):
    return list(await asyncio.gather(doubled(x), doubled(x + 1)))


async def in_a_group(x):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(doubled(one)) for one in (x, x + 1)]
    return [task.result() for task in tasks]


async def left_behind(x):
    asyncio.get_running_loop().create_task(asyncio.sleep(60))
    return 2 * x


def items(x):
    yield from (x, x + 1)


def test_items_and_results_are_there_when_the_call_returns():
    assert completed(items)(1) == [1, 2]
    assert completed(doubled)(1) == 2


@pytest.mark.parametrize("function", [together, in_a_group])
def test_tasks_that_are_awaited_may_be_started_in_every_call(function):
    call = completed(function)
    assert [call(x) for x in range(3)] == [[0, 2], [2, 4], [4, 6]]


def test_a_task_that_nobody_awaits_is_an_error():
    with pytest.raises(RuntimeError, match="1 tasks were started and not awaited"):
        completed(left_behind)(1)


def test_any_other_function_stays_itself():
    assert completed(len) is len

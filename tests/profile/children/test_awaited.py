"""The lines on which an event loop waits are known through tasks, and through what another task has to provide."""

import asyncio

import pytest

from perfproof.profile.children.awaited import awaited_frames, awaiting, queue_for_lock


async def inner(event):
    await event.wait()


async def outer(event, count=1):
    await asyncio.gather(*(inner(event) for _ in range(count)))


def test_the_lines_on_which_a_task_awaits_are_known_through_the_tasks_that_it_waits_for():
    async def main():
        event = asyncio.Event()
        task = asyncio.create_task(outer(event, count=2))
        await asyncio.sleep(0.001)
        names = [frame.f_code.co_name for frame in awaiting(task)]
        event.set()
        await task
        return names

    assert asyncio.run(main()) == ["outer", "inner", "wait"]
    assert awaiting(None) == []


def is_own(frame):
    return frame.f_code.co_filename == __file__


async def told(main):
    """The functions that are said to be waited in, a moment after the main task has begun."""
    task = asyncio.create_task(main)
    await asyncio.sleep(0.01)
    found = [frame.f_code.co_name for frame in awaited_frames(asyncio.get_running_loop(), task, is_own)]
    task.cancel()
    return found


async def gather_batch(queue):
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(queue.get(), 0.2)


async def ask(queue):
    batcher = asyncio.create_task(gather_batch(queue))
    await asyncio.get_running_loop().create_future()
    return batcher


async def ask_backend(_):
    background = asyncio.create_task(asyncio.sleep(0.1))
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    reader, _ = await asyncio.open_connection(*server.sockets[0].getsockname())
    await reader.read(1)
    return background


def test_a_task_that_waits_for_another_one_waits_for_the_timer_of_that():
    async def main():
        return await told(ask(asyncio.Queue()))

    assert "gather_batch" in asyncio.run(main())


def test_a_task_that_waits_for_a_socket_does_not_wait_for_a_timer_beside_it():
    async def main():
        return await told(ask_backend(None))

    assert asyncio.run(main())[0] == "ask_backend"


async def hold(lock):
    async with lock:
        await asyncio.sleep(0.05)


async def line_of_queue(lock, tasks):
    asked = [asyncio.create_task(hold(lock)) for _ in range(tasks)]
    await asyncio.sleep(0.01)
    found = queue_for_lock(asyncio.get_running_loop(), is_own)
    for one in asked:
        one.cancel()
    return found


async def line_of_lock(tasks):
    return await line_of_queue(asyncio.Lock(), tasks)


async def line_of_semaphore(tasks):
    return await line_of_queue(asyncio.Semaphore(2), tasks)


def test_the_line_on_which_tasks_queue_for_a_lock_is_named():
    assert asyncio.run(line_of_lock(4)).startswith("hold (test_awaited.py:")


def test_one_that_waits_and_a_semaphore_that_lets_several_in_are_no_queue():
    assert asyncio.run(line_of_lock(2)) == ""
    assert asyncio.run(line_of_semaphore(6)) == ""

import asyncio
import socket
import threading
import time


def slow_store(server):
    def answer(connection):
        with connection:
            connection.recv(64)
            time.sleep(0.05)
            connection.sendall(b"42")

    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


def look_up(port, key):
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(key.encode())
        return client.recv(64)


async def handle(port, user):
    profile = look_up(port, f"user:{user}")
    await asyncio.sleep(0)
    return user, int(profile)


async def main(port):
    total = 0
    for _ in range(10):
        answers = await asyncio.gather(*[handle(port, user) for user in range(20)])
        total += sum(value for _, value in answers)
    print(total)


server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=slow_store, args=(server,), daemon=True).start()
asyncio.run(main(server.getsockname()[1]))
server.close()

import socket
import threading


class Reader:
    def __init__(self, connection):
        self.connection, self.buffer = connection, b""

    def message(self):
        while b"\r\n\r\n" not in self.buffer:
            chunk = self.connection.recv(1024)
            if not chunk:
                return None
            self.buffer += chunk
        body, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        return body


def send(port, messages, size):
    with socket.create_connection(("127.0.0.1", port)) as client:
        for n in range(messages):
            client.sendall(bytes([65 + n]) * size + b"\r\n\r\n")


def serve():
    server = socket.create_server(("127.0.0.1", 0))
    sender = threading.Thread(target=send, args=(server.getsockname()[1], 2, 2_500_000))
    sender.start()
    connection, _ = server.accept()
    reader, total = Reader(connection), 0
    while (body := reader.message()) is not None:
        total += len(body)
    sender.join()
    server.close()
    return total


print(serve())

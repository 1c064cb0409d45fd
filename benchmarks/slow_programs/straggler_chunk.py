import hashlib
import multiprocessing


def derive(document):
    text, rounds = document
    return hashlib.pbkdf2_hmac("sha256", text.encode(), b"corpus", rounds).hex()


def documents():
    for n in range(400):
        yield f"document {n}", 60_000 if n < 200 else 600


def main():
    work = list(documents())
    with multiprocessing.Pool(2) as pool:
        keys = pool.map(derive, work, chunksize=len(work) // 2)
    print(len(set(keys)))


if __name__ == "__main__":
    main()

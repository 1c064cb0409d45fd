"""Encode texts as a batch with the tokenizers library, from a script."""

import random
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
import perfproof

random.seed(3)
corpus = ["".join(random.choices("abcdefgh ", k=200)) for _ in range(100)]
tok = Tokenizer(models.BPE(unk_token="[UNK]"))
tok.pre_tokenizer = pre_tokenizers.Whitespace()
tok.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False))


def one_by_one(texts):
    return [tok.encode(t).ids for t in texts]


def batched(texts):
    return [e.ids for e in tok.encode_batch(texts)]


def draw():
    return ["".join(random.choices("abcdefgh ", k=120)) for _ in range(50)]


answer = perfproof.compare(one_by_one, batched, draw, effort="quick", device="cpu")
print(answer)
print(answer.status)

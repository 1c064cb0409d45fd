"""The engine that a server is asked for: what it is made of on a CPU."""

import json

from perfproof.engine.request import Request, Sampling
from perfproof.engine.server.settings import ServeSettings
from perfproof.engine.serving import make_engine
from tests.engine.tiny_models import BASE


def test_random_weights_show_every_token_when_its_step_ends(tmp_path):
    shape = tmp_path / "config.json"
    shape.write_text(json.dumps({"model_type": "llama", **BASE, "vocab_size": 900}))
    made = make_engine(ServeSettings(model=str(shape), random=True, device="cpu", blocks=20))
    request = Request("a", made.tokenizer.encode("What is it?"), Sampling(0, max_tokens=8, ignore_eos=True))
    made.engine.add(request)
    text, steps = made.tokenizer.detokenizer(), 0
    while made.engine.is_busy:
        new = [token for progress in made.engine.step() for token in progress.tokens]
        steps += 1
        assert [len(text.add(token)) for token in new] == [1]  # on a CPU no token waits for the step after its own
    assert steps == 8 and request.finish == "length"

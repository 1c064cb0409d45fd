"""Text as it grows: whole characters, stop strings across tokens, and tokenizers from files."""

import random
from itertools import pairwise

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from perfproof.core.errors import DocumentError, UsageError
from perfproof.engine.text import Text
from perfproof.engine.tokenizer import END_OF_TEXT, ByteTokenizer, FileTokenizer, LetterTokenizer, render


def shown(text, stops=()):
    """Piece by piece, as bytes come."""
    growing = Text(ByteTokenizer().detokenizer(), stops)
    pieces = []
    for token in text.encode() if isinstance(text, str) else text:
        pieces.append(growing.add(token))
        if growing.is_stopped:
            return pieces
    return [*pieces, growing.end()]


def test_a_character_comes_whole_or_not_at_all():
    assert shown("aé€") == ["a", "", "é", "", "", "€", ""]


def test_bytes_that_are_no_text_are_replaced():
    assert "".join(shown([0xFF, 0x41])) == "\N{REPLACEMENT CHARACTER}A"
    assert "".join(shown([0xE2, 0x82])) == "\N{REPLACEMENT CHARACTER}"


def test_every_token_of_random_weights_has_a_letter():
    shown = LetterTokenizer().detokenizer()
    texts = [shown.add(token) for token in (0, 10, 200, 255, 256, 257, 128_255)]
    assert all(len(text) == 1 and text.isascii() and text.isprintable() for text in texts) and shown.end() == ""
    assert LetterTokenizer().encode("aé") == list("aé".encode())


@pytest.mark.parametrize(
    "text, stops, wanted",
    [
        ("hello END more", ["END"], "hello "),
        ("hello EN", ["END"], "hello EN"),
        ("aab", ["ab"], "a"),
        ("one two", ["two", "ne"], "o"),
        ("nothing", ["xyz"], "nothing"),
        ("é stop", ["stop"], "é "),
    ],
)
def test_a_stop_string_cuts_the_text_wherever_its_tokens_begin(text, stops, wanted):
    assert "".join(shown(text, stops)) == wanted


@pytest.mark.parametrize("seed", range(40))
def test_the_text_does_not_depend_on_how_it_is_cut_into_tokens(seed):
    drawn = random.Random(seed)
    text = "".join(drawn.choice("abcé") for _ in range(12))
    stops = ["".join(drawn.choice("abcé") for _ in range(drawn.randrange(1, 5))) for _ in range(3)]
    pieces = iter([])

    class Cut:
        def add(self, token):
            return next(pieces)

        def end(self):
            return ""

    found = set()
    for _ in range(20):
        cuts = sorted({0, len(text), *(drawn.randrange(len(text)) for _ in range(drawn.randrange(8)))})
        pieces = iter([text[start:end] for start, end in pairwise(cuts)])
        growing, seen = Text(Cut(), stops), ""
        for _ in cuts[1:]:
            seen += growing.add(0)
            if growing.is_stopped:
                break
        found.add((seen if growing.is_stopped else seen + growing.end(), growing.is_stopped))
    assert len(found) == 1
    (seen, is_stopped) = found.pop()
    assert text.startswith(seen) and not any(stop in seen for stop in stops)
    assert is_stopped == any(stop in text for stop in stops)


def test_what_may_become_a_stop_string_is_kept_back():
    assert shown("xEN", ["END"])[:3] == ["x", "", ""]


def test_the_end_token_has_no_text():
    assert "".join(shown([0x41, END_OF_TEXT])) == "A"


@pytest.fixture
def folder(tmp_path):
    """A byte-level tokenizer of the package, without merges: a token per byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(
        models.BPE(vocab={letter: number for number, letter in enumerate(alphabet)} | {"</s>": 256}, merges=[])
    )
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["</s>"])
    made.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tokenizer_config.json").write_text(
        '{"eos_token": {"content": "</s>"}, "chat_template": '
        '"{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ eos_token }}{% endfor %}"}'
    )
    return tmp_path


def test_a_tokenizer_file_round_trips_and_knows_its_end(folder):
    tokenizer = FileTokenizer(folder / "tokenizer.json", (7,))
    assert tokenizer.eos == (7, 256)
    growing = tokenizer.detokenizer()
    pieces = [growing.add(token) for token in tokenizer.encode("aé€ b")]
    assert "".join(pieces) + growing.end() == "aé€ b"
    assert pieces[1] == "" and pieces[2] == "é"  # two bytes, one character


def test_the_space_between_prompt_and_answer_stays(tmp_path):
    """A tokenizer whose decoder drops the space before the first word, as those of Llama 2 and Mixtral do."""
    words = Tokenizer(models.WordLevel({"▁a": 0, "▁good": 1, "▁day": 2}, unk_token="▁a"))
    words.pre_tokenizer, words.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    words.save(str(tmp_path / "tokenizer.json"))
    tokenizer = FileTokenizer(tmp_path / "tokenizer.json")
    assert tokenizer.backend.decode([1, 2]) == "good day"
    for prompt, wanted in (([0], " good day"), ([], "good day")):
        growing = tokenizer.detokenizer(prompt)
        assert "".join([growing.add(1), growing.add(2), growing.end()]) == wanted


def test_the_chat_template_of_a_model_is_used(folder):
    tokenizer = FileTokenizer(folder / "tokenizer.json")
    tokens = tokenizer.chat([{"role": "user", "content": "hi"}])
    assert tokens[-1] == 256 and tokenizer.backend.decode(tokens) == "<user>hi"


def test_a_broken_tokenizer_file_is_one_line(tmp_path):
    (tmp_path / "tokenizer.json").write_text('{"version": ')
    with pytest.raises(DocumentError, match=r"tokenizer\.json"):
        FileTokenizer(tmp_path / "tokenizer.json")


@pytest.mark.parametrize(
    "template",
    ["{{ raise_exception('no system') }}", "{{ messages[0].content.__class__.__mro__ }}", "{% for %}", "{{ 1 / 0 }}"],
)
def test_a_template_that_fails_or_reaches_out_is_refused(template):
    with pytest.raises(UsageError, match="template"):
        render(template, [{"role": "user", "content": "x"}], {})

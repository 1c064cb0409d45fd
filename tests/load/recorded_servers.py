"""Streams with the fields, their order and the chunk sizes of real servers; texts and numbers are made up.

Each case names where the form was read: a published recording, or "written" if it follows documentation. They
differ in what makes accounting hard: a first event without text, null in
place of text, reasoning under two names, counts under `timings`, the finish beside the last text or in an event of its
own, `usage: null` in every event, several tokens per event, a filter's event without a choice, upper-case chunk sizes.
"""

from dataclasses import dataclass, field

ONE_EACH = "one per event"


@dataclass
class Recorded:
    source: str
    events: list[dict]
    tokens: list[int]
    by: str
    made: int
    prompt: int | None = None
    cached: int | None = None
    finish: str = "stop"
    first: int = 0  # event with the first token
    answer: int | None = 0  # event with the first text of the answer
    text: str = ""
    size: str = "%x"
    before: str = "data: "
    extra: bytes = field(default=b"")
    line_end: str = "\n"
    done: bool = True


def vllm(delta, finish=None, **more):
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-84",
        "object": "chat.completion.chunk",
        "created": 17,
        "model": "m",
        "choices": [choice],
    } | more


def sglang(delta, finish=None, matched=None):
    return vllm(delta, finish) | {"choices": [vllm(delta, finish)["choices"][0] | {"matched_stop": matched}]}


def tgi(content, finish=None, **more):
    nothing = {"function_call": None, "refusal": None, "tool_calls": None}
    return vllm({"role": "assistant", "content": content} | nothing, finish, system_fingerprint="3.1-native") | more


def llama_cpp(delta, finish=None, **more):
    choices = [{"finish_reason": finish, "index": 0, "delta": delta}]
    return {"choices": choices, "created": 17, "id": "chatcmpl-q", "object": "chat.completion.chunk"} | more


def timings(cache, prompt, made):
    return {"cache_n": cache, "prompt_n": prompt, "prompt_ms": 25.1, "predicted_n": made, "predicted_per_second": 68.7}


def ollama(finish=None, **delta):
    choice = {"index": 0, "delta": {"role": "assistant", "content": "", **delta}, "finish_reason": finish}
    return {"id": "chatcmpl-774", "system_fingerprint": "fp_ollama", "choices": [choice]}


def usage(made, prompt, details=None, **more):
    counts = {"prompt_tokens": prompt, "total_tokens": prompt + made, "completion_tokens": made}
    return vllm({}) | {"choices": [], "usage": counts | {"prompt_tokens_details": details} | more}


IDS = {"token_ids": None}
TRT = {"mm_embedding_handle": None, "disaggregated_params": None, "avg_decoded_tokens_per_iter": 1.0}


def newer(delta, finish=None, **choice):
    found = vllm(delta, finish)
    return found | {"choices": [found["choices"][0] | choice]}


def call(part):
    return {"reasoning_content": None, "tool_calls": [part]}


def bare(delta, finish=None, mark=""):
    return sglang(delta, finish) | {"usage": None, "verification": mark}


def kimi(delta, finish=None, **choice):
    one = {"index": 0, "delta": delta, "finish_reason": finish} | choice
    return {"id": "chatcmpl-z5", "object": "chat.completion.chunk", "created": 17, "model": "k", "choices": [one]}


def of_second(event):
    return event | {"choices": [event["choices"][0] | {"index": 1}]}


def tool_call(part):
    return vllm({"tool_calls": [{"index": 0} | part]})


CASES = {
    "vLLM: words of several bytes, and nobody asked for usage": Recorded(
        "github.com/vllm-project/vllm/issues/6083",
        [
            vllm({"role": "assistant"}),
            vllm({"content": "你好"}),
            vllm({"content": "吗"}),
            vllm({"content": ""}, "stop"),
        ],
        [1, 1],
        "events",
        2,
        first=1,
        answer=1,
        text="你好吗",
    ),
    "vLLM: usage in every event": Recorded(
        "vLLM's continuous_usage_stats, github.com/vllm-project/vllm/issues/6540",
        [
            vllm({"role": "assistant", "content": ""}, usage={"prompt_tokens": 9, "completion_tokens": 0}),
            vllm({"content": "Two words"}, usage={"prompt_tokens": 9, "completion_tokens": 2}),
            vllm({"content": " more"}, "length", usage={"prompt_tokens": 9, "completion_tokens": 3}),
            usage(3, 9),
        ],
        [2, 1],
        "usage",
        3,
        prompt=9,
        finish="length",
        first=1,
        answer=1,
        text="Two words more",
    ),
    "SGLang: null in place of text, reasoning first, several tokens in an event": Recorded(
        "github.com/sgl-project/sglang/issues/18335 and pull/19895",
        [
            sglang({"role": None, "content": None, "reasoning_content": None}),
            sglang({"reasoning_content": "The"}),
            sglang({"reasoning_content": " user greets me"}),
            sglang({"role": "assistant", "content": "Hi", "reasoning_content": None}),
            sglang({"content": None}, "stop", 151645),
            usage(7, 21, {"cached_tokens": 16}, reasoning_tokens=4),
        ],
        [1, 5, 1],
        "estimated",
        7,
        prompt=21,
        cached=16,
        first=1,
        answer=3,
        text="Hi",
    ),
    "TGI: the role in every event, chunk sizes in upper case, no blank after the colon": Recorded(
        "integration-tests/models/__snapshots__/test_completion_prompts/test_chat_openai_usage.json of "
        "huggingface/text-generation-inference",
        [
            tgi("Fine", usage=None),
            tgi(".", usage=None),
            tgi("", "stop", usage=None),
            tgi("") | usage(3, 39),
        ],
        [1, 1],
        ONE_EACH,
        3,
        prompt=39,
        text="Fine.",
        size="%X",
        before="data:",
    ),
    "llama.cpp: counts under timings, with every event": Recorded(
        "github.com/openai-php/client/issues/780 and ggml-org/llama.cpp/pull/15827",
        [
            llama_cpp({"role": "assistant", "content": None}),
            llama_cpp({"reasoning_content": " it"}, timings=timings(7, 10, 1)),
            llama_cpp({"reasoning_content": " is so"}, timings=timings(7, 10, 3)),
            llama_cpp({"content": "Yes"}, timings=timings(7, 10, 4)),
            llama_cpp({}, "stop", timings=timings(7, 10, 5)),
        ],
        [1, 2, 1],
        "usage",
        5,
        prompt=17,
        cached=7,
        first=1,
        answer=3,
        text="Yes",
    ),
    "llama.cpp: usage in an event without a choice": Recorded(
        "github.com/ggml-org/llama.cpp/pull/15444",
        [
            llama_cpp({"role": "assistant", "content": None}),
            llama_cpp({"content": "Good"}),
            llama_cpp({"content": " day"}),
            llama_cpp({}, "length"),
            usage(2, 5) | {"timings": timings(0, 5, 2)},
        ],
        [1, 1],
        ONE_EACH,
        2,
        prompt=5,
        finish="length",
        first=1,
        answer=1,
        text="Good day",
    ),
    "Ollama: reasoning beside an empty text, the finish with the last event, no usage": Recorded(
        "github.com/ollama/ollama/pull/17485",
        [ollama(reasoning="Okay"), ollama(reasoning="."), ollama(content="Hi"), ollama("length")],
        [1, 1, 1],
        "events",
        3,
        finish="length",
        answer=2,
        text="Hi",
    ),
    "OpenAI: usage null in every event, and a filter's event before the first": Recorded(
        "github.com/ollama/ollama/issues/4448 (a transcript of api.openai.com); Azure's prompt_filter_results",
        [
            {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}], "usage": None},
            vllm({"role": "assistant", "content": "", "refusal": None}, usage=None),
            vllm({"content": "A"}, usage=None),
            vllm({"content": " car"}, usage=None),
            vllm({}, "stop", usage=None),
            usage(2, 24, {"cached_tokens": 0}, completion_tokens_details={"reasoning_tokens": 0}),
        ],
        [1, 1],
        ONE_EACH,
        2,
        prompt=24,
        cached=0,
        first=2,
        answer=2,
        text="A car",
        extra=b": PROCESSING\n\n",
    ),
    "OpenAI: a field of random length in every event, and a refusal": Recorded(
        "github.com/ENTERPILOT/GoModel/pull/46 (`obfuscation`); `delta.refusal` is written after the API reference",
        [
            vllm({"role": "assistant", "content": "", "refusal": None}, obfuscation="aB3"),
            vllm({"refusal": "I can"}, obfuscation="x"),
            vllm({"refusal": "not"}, obfuscation="qwertzui"),
            vllm({}, "stop", obfuscation="Zk"),
            usage(2, 8),
        ],
        [1, 1],
        ONE_EACH,
        2,
        prompt=8,
        first=1,
        answer=1,
        text="I cannot",
    ),
    "OpenAI: two choices in turn, each with a finish of its own": Recorded(
        "written after the API reference: `n`",
        [
            vllm({"role": "assistant", "content": ""}),
            of_second(vllm({"role": "assistant", "content": ""})),
            vllm({"content": "One"}),
            of_second(vllm({"content": "Two"})),
            vllm({"content": " a"}),
            of_second(vllm({"content": " b"})),
            vllm({}, "stop"),
            of_second(vllm({}, "stop")),
            usage(4, 8),
        ],
        [1, 1, 1, 1],
        ONE_EACH,
        4,
        prompt=8,
        first=2,
        answer=2,
        text="One a",
    ),
    "vLLM, newer: token ids, the name `reasoning`, the finish beside the last text": Recorded(
        "github.com/Nayjest/lm-proxy/issues/69 (`reasoning`) and published transcripts (`prompt_token_ids`)",
        [
            newer({"role": "assistant", "content": ""}) | {"prompt_token_ids": None},
            newer({"reasoning": " it"}, token_ids=None),
            newer({"reasoning": " is"}, token_ids=None),
            newer({"content": "Ja", "reasoning_content": None}, token_ids=None),
            newer({"content": " 天", "reasoning_content": None}, "stop", stop_reason=151336, token_ids=None),
            usage(5, 12),
        ],
        [1, 1, 1, 1],
        ONE_EACH,
        5,
        prompt=12,
        first=1,
        answer=3,
        text="Ja 天",
    ),
    "vLLM, newer: a tool call with usage in every event; the name took several tokens": Recorded(
        "a published log of two tool calls of Qwen3-Coder-Next",
        [
            newer(
                call({"id": "c", "type": "function", "index": 0, "function": {"name": "write", "arguments": ""}}), **IDS
            )
            | {"usage": {"prompt_tokens": 63, "total_tokens": 70, "completion_tokens": 7}},
            newer(call({"index": 0, "function": {"arguments": "{"}}), **IDS)
            | {"usage": {"prompt_tokens": 63, "total_tokens": 71, "completion_tokens": 8}},
            newer(call({"index": 0, "function": {"arguments": '"file'}}), **IDS)
            | {"usage": {"prompt_tokens": 63, "total_tokens": 73, "completion_tokens": 10}},
            newer({"content": "", "reasoning_content": None}, "tool_calls", stop_reason=None, token_ids=None)
            | {"usage": {"prompt_tokens": 63, "total_tokens": 75, "completion_tokens": 12}},
        ],
        [7, 1, 2],
        "usage",
        12,
        prompt=63,
        finish="tool_calls",
        text='write{"file',
    ),
    "SGLang: null in every field that an event does not use, usage null and a field behind it": Recorded(
        "github.com/BerriAI/litellm/issues/15690 (a provider that runs SGLang)",
        [
            bare({"role": "assistant", "content": "", "reasoning_content": None, "tool_calls": None}, mark="9c"),
            bare({"role": None, "content": None, "reasoning_content": " want", "tool_calls": None}, mark="c0"),
            bare({"role": None, "content": "Ta", "reasoning_content": None, "tool_calls": None}, mark="2b"),
            bare({"role": None, "content": "g", "reasoning_content": None, "tool_calls": None}, mark="2b"),
            bare({"role": None, "content": None, "reasoning_content": None, "tool_calls": None}, "stop", mark="00")
            | {"usage": {"prompt_tokens": 5, "total_tokens": 8, "completion_tokens": 3, "prompt_tokens_details": None}},
        ],
        [1, 1, 1],
        ONE_EACH,
        3,
        prompt=5,
        first=1,
        answer=2,
        text="Tag",
    ),
    "Kimi: usage inside of the last choice, no blank after the colon": Recorded(
        "tests/contract/testdata/kimi/chat_completion_stream.txt of ENTERPILOT/GoModel",
        [
            kimi({"role": "assistant", "content": None}),
            kimi({"reasoning_content": "Hm"}),
            kimi({"reasoning_content": ' "'}),
            kimi({"content": "Ok"}),
            kimi({}, "length", usage={"prompt_tokens": 18, "completion_tokens": 3, "cached_tokens": 16}),
        ],
        [1, 1, 1],
        ONE_EACH,
        3,
        prompt=18,
        cached=16,
        finish="length",
        first=1,
        answer=3,
        text="Ok",
        before="data:",
    ),
    "Groq: usage in a field of its own beside the finish": Recorded(
        "published transcripts of api.groq.com: `x_groq`",
        [
            vllm({"role": "assistant", "content": ""}, x_groq={"id": "req_1"}),
            vllm({"content": "Yes"}),
            vllm({"content": " sir"}),
            vllm(
                {},
                "stop",
                x_groq={"id": "req_1", "usage": {"queue_time": 0.1, "prompt_tokens": 46, "completion_tokens": 3}},
            ),
        ],
        [1, 1],
        ONE_EACH,
        3,
        prompt=46,
        first=1,
        answer=1,
        text="Yes sir",
    ),
    "Mistral: a content that is a list of parts, thinking first": Recorded(
        "written after Mistral's page on reasoning",
        [
            vllm({"role": "assistant", "content": ""}),
            vllm({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}),
            vllm({"content": [{"type": "text", "text": "Yes"}]}),
            vllm({"content": " sir"}),
            vllm({"content": ""}, "stop", usage={"prompt_tokens": 6, "total_tokens": 9, "completion_tokens": 3}),
        ],
        [1, 1, 1],
        ONE_EACH,
        3,
        prompt=6,
        first=1,
        answer=2,
        text="Yes sir",
    ),
    "vLLM: the parts of a tool call, after a text": Recorded(
        "written after vLLM's tool calling page",
        [
            vllm({"role": "assistant", "content": ""}),
            vllm({"content": "Ok"}),
            tool_call({"id": "call_1", "type": "function", "function": {"name": "weather"}}),
            tool_call({"function": {"arguments": '{"city": '}}),
            tool_call({"function": {"arguments": '"Rome"}'}}),
            vllm({"content": ""}, "tool_calls"),
            usage(9, 30),
        ],
        [1, 2, 3, 3],
        "estimated",
        9,
        prompt=30,
        finish="tool_calls",
        first=1,
        answer=1,
        text='Okweather{"city": "Rome"}',
    ),
    "SGLang: usage in every event, several tokens in each": Recorded(
        "written after SGLang's `continuous_usage_stats` and speculative decoding",
        [
            sglang({"role": "assistant", "content": ""}) | {"usage": {"prompt_tokens": 4, "completion_tokens": 1}},
            sglang({"content": "a b c"}) | {"usage": {"prompt_tokens": 4, "completion_tokens": 3}},
            sglang({"content": " d"}) | {"usage": {"prompt_tokens": 4, "completion_tokens": 4}},
            sglang({}, "length") | {"usage": {"prompt_tokens": 4, "completion_tokens": 4}},
            usage(4, 4),
        ],
        [3, 1],
        "usage",
        4,
        prompt=4,
        finish="length",
        first=1,
        answer=1,
        text="a b c d",
    ),
    "TensorRT-LLM: usage with fields that others lack, CRLF as line end": Recorded(
        "written after trtllm-serve's page, which shows the fields of a choice; CRLF is what sse-starlette writes",
        [
            vllm({"role": "assistant", "content": "", "reasoning_content": None, "tool_calls": []}),
            newer({"content": "Hé", "reasoning_content": "", "tool_calls": []}, stop_reason=None, **TRT),
            newer({"content": "llo", "reasoning_content": "", "tool_calls": []}, stop_reason=None, **TRT),
            newer({"content": "", "tool_calls": []}, "stop", stop_reason=None, **TRT),
            usage(3, 6, {"cached_tokens": 2}),
        ],
        [1, 1],
        ONE_EACH,
        3,
        prompt=6,
        cached=2,
        first=1,
        answer=1,
        text="Héllo",
        line_end="\r\n",
    ),
    "LiteLLM: usage beside an empty choice, reasoning beside blocks of it": Recorded(
        "written after LiteLLM's page on reasoning content",
        [
            vllm({"role": "assistant", "reasoning_content": "Hm", "thinking_blocks": [{"thinking": "Hm"}]}),
            vllm({"content": "Yes", "function_call": None, "tool_calls": None, "audio": None}),
            vllm({}, "stop"),
            vllm({}, usage={"completion_tokens": 2, "prompt_tokens": 3, "prompt_tokens_details": None}),
        ],
        [1, 1],
        ONE_EACH,
        2,
        prompt=3,
        answer=1,
        text="Yes",
    ),
    "Ollama: usage at the end, and no [DONE] behind it": Recorded(
        "written; a proxy that drops the last event",
        [ollama(content="Hi"), ollama("stop"), usage(2, 3)],
        [1],
        ONE_EACH,
        2,
        prompt=3,
        text="Hi",
        done=False,
    ),
}

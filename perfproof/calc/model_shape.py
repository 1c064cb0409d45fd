"""The shape of a transformer as its formulas need it, whatever the spelling of the file that it was read from."""

from dataclasses import dataclass, field

FULL, SLIDING, LINEAR, MAMBA = "full", "sliding", "linear", "mamba"


@dataclass(frozen=True)
class Layer:
    attention: str = FULL
    has_experts: bool = False
    shares_cache: bool = False  # it reads the keys and values of an earlier layer


@dataclass(frozen=True)
class Experts:
    count: int
    active: int  # routed experts of each token
    width: int
    shared_width: int = 0  # of all shared experts together
    bias: bool = False


@dataclass(frozen=True)
class Latent:
    """Multi-head latent attention: keys and values come from one small vector a token."""

    kv_rank: int
    q_rank: int | None
    rope: int
    nope: int
    value: int


@dataclass(frozen=True)
class Recurrent:
    """Linear attention: a matrix a value head, whatever the length of the sequence."""

    key_heads: int
    key_dim: int
    value_heads: int
    value_dim: int
    kernel: int
    is_gated_delta: bool = True  # the kind whose parameters can be counted

    @property
    def state_elements(self) -> int:
        return self.value_heads * self.key_dim * self.value_dim

    @property
    def window_elements(self) -> int:
        """What the short convolution remembers."""
        return (self.kernel - 1) * (2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim)


@dataclass(frozen=True)
class StateSpace:
    """Mamba: a state of inner x state elements, whatever the length of the sequence."""

    inner: int
    state: int
    kernel: int

    @property
    def state_elements(self) -> int:
        return self.inner * self.state

    @property
    def window_elements(self) -> int:
        return (self.kernel - 1) * self.inner


@dataclass(frozen=True)
class Traits:
    """What an architecture has and its file does not say: it decides the last per cent of a parameter count."""

    qkv_bias: bool = False
    out_bias: bool = False
    mlp_bias: bool = False
    gated: bool = True  # three matrices in the MLP, not two
    qk_norm: bool = False
    wide_qk_norm: bool = False  # one weight per channel of all heads, not of one
    norms: int = 2  # a layer
    outer_norms: int = 1  # after the last layer, and after the embedding where there is one
    norm_bias: bool = False
    tied: bool = False  # where the file is silent
    head_bias: bool = False
    positions: int = 0  # learned position embeddings
    output_gate: bool = False  # queries carry a gate of the same width
    sinks: bool = False  # one learned logit a head
    router_bias: bool = False
    shared_gate: bool = False


@dataclass(frozen=True)
class Shape:
    name: str
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    layers: tuple[Layer, ...]
    vocab: int = 0
    ffn: int = 0
    window: int | None = None
    tied: bool = False
    experts: Experts | None = None
    latent: Latent | None = None
    recurrent: Recurrent | None = None
    state_space: StateSpace | None = None
    traits: Traits = field(default=Traits())
    weight_dtype: str = "bf16"  # as the file stores its matrices; empty: unknown, and `weights_unknown` says why
    weights_unknown: str = ""
    expert_dtype: str = ""  # where experts differ
    stored_bytes: int | None = None  # the sum of the tensors, from the index of a checkpoint
    published: float | None = None  # parameters, by the source
    published_active: float | None = None
    source: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def attention_kind(self) -> str:
        if self.latent is not None:
            return "MLA"
        return "MHA" if self.kv_heads == self.heads else "MQA" if self.kv_heads == 1 else "GQA"

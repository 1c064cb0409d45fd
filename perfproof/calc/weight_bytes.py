"""The bytes of the weights: quantised matrices are small, what is usually left in 16 bits is not forgotten.

Attention and MLP matrices take the format of the weights, experts their own where it differs; embeddings, head,
routers and norms stay in the format `other`, as engines leave them.
"""

from dataclasses import dataclass

from perfproof.calc.number_formats import bytes_per_element
from perfproof.calc.parameters import Parameters


@dataclass(frozen=True)
class Formats:
    matrices: str = "bf16"
    experts: str = ""  # empty: as the matrices
    other: str = "bf16"
    kv: str = "bf16"

    @property
    def of_experts(self) -> str:
        return self.experts or self.matrices


@dataclass(frozen=True)
class WeightBytes:
    embedding: float
    always: float  # read in every step, the head included
    experts: float
    one_expert: float
    stored: float


def weight_bytes(parameters: Parameters, formats: Formats) -> WeightBytes:
    matrix, other = bytes_per_element(formats.matrices), bytes_per_element(formats.other)
    expert = bytes_per_element(formats.of_experts)
    embedding = parameters.embedding * other
    head = parameters.head * other
    rest = (parameters.attention + parameters.dense) * matrix + (parameters.routers + parameters.norms) * other
    experts = parameters.experts * expert
    return WeightBytes(
        embedding=embedding,
        always=head + rest,
        experts=experts,
        one_expert=parameters.one_expert * expert,
        stored=embedding + rest + experts + (0 if parameters.tied else head),
    )

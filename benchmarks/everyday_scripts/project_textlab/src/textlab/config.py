from dataclasses import dataclass, field
import pathlib
import yaml


@dataclass
class Config:
    lower: bool = True
    stop: set = field(default_factory=set)

    @classmethod
    def load(cls):
        root = pathlib.Path(__file__).resolve().parents[2]
        raw = yaml.safe_load((root / "data" / "config.yaml").read_text())
        return cls(raw["lower"], set(raw["stop"]))


CFG = Config.load()

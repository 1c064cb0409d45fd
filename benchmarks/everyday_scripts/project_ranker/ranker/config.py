import os
from pathlib import Path
from pydantic import BaseModel


class Settings(BaseModel):
    root: Path = Path(__file__).resolve().parent.parent
    dims: int = int(os.environ.get("RANKER_DIMS", 16))
    decay: float = 0.9


settings = Settings()

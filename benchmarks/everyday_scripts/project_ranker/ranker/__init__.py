from .config import Settings
from .features import featurize

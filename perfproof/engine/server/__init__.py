"""An OpenAI-style server in front of the engine."""

"""The dashboard: the report's pages, served live and read-only from the artifacts folder."""

"""Encodings that several formats share: growing text, JSON lines, CSV, parquet, Protocol Buffers."""

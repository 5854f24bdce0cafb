"""Reports: diagnoses, catalogues and tables as text, JSON, Markdown or HTML."""

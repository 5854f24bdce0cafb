"""Reports: what a diagnosis, a table or a page looks like as text, JSON or Markdown; one file per form."""

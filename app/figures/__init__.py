"""Pure functions from series, runs and outcomes to what the browser draws; no Streamlit in here."""

"""Pure functions from series, runs and outcomes to Plotly figures; no Streamlit in here."""

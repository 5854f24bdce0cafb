"""rlvitals' dashboard: views over runs and their diagnoses, in Streamlit."""

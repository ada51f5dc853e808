"""Results for the user: assessments, fronts, generalizations, local recodings, audits, releases."""

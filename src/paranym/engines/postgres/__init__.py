"""Tables of a Postgres server."""

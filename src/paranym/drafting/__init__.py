"""Drafting a recipe for a table: a role and a hierarchy for each column, with the reasons."""

from paranym.drafting.drafts import ColumnDraft, Draft, draft

__all__ = ["ColumnDraft", "Draft", "draft"]

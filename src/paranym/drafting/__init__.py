"""From a bare table to a recipe that runs: what each column seems to be, how it may be generalized, and why."""

from paranym.drafting.drafts import ColumnDraft, Draft, draft

__all__ = ["ColumnDraft", "Draft", "draft"]

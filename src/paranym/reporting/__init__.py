"""From a front and a choice to a report: what is told is gathered here; how it looks is the business of `report`."""

from paranym.reporting.gathering import account_of, check_reportable
from paranym.reporting.writing import Reporter, check_report_files, save_report, write_report

__all__ = ["Reporter", "account_of", "check_report_files", "check_reportable", "save_report", "write_report"]

"""The commands, grouped by stage of work: prepare, explore, choose, publish, check."""

from cyclopts import App, Group

from paranym import __version__
from paranym.cli.terminal import notes, usage

app = App(
    name="paranym",
    help="Anonymize tables of personal data: compute the Pareto front between k-anonymity and information loss, "
    "choose from it, and publish a verified release.",
    version=__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,  # Ctrl-C is answered in `endings`
    console=usage,
    error_console=notes,
)

_GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Prepare": {
        "demo": ("Run everything on the Adult census table.", "demo"),
        "init": ("Draft a recipe for a table: roles, hierarchies, and the reasons.", "init patients.csv"),
        "hierarchy": (
            "Build, check and show generalization hierarchies.",
            "hierarchy build patients.csv age 'intervals = [5, 10, 20]'",
        ),
    },
    "Explore": {
        "frontier": (
            "Compute the Pareto front between k-anonymity and information loss.",
            "frontier recipe.toml --plot front.html",
        ),
        "search": (
            "Find the generalizations that achieve a given k: all, the minimal ones, or the best.",
            "search recipe.toml --k 5",
        ),
        "local": ("Anonymize by local recoding (Mondrian, top-down, bottom-up).", "local recipe.toml --k 10"),
        "bound": (
            "Bound the information loss of every recoding from below: no model can lose less.",
            "bound recipe.toml --k 2,5,10",
        ),
        "compare": (
            "Compare recoding models: the information loss of each for several k.",
            "compare recipe.toml --k 5,10,20",
        ),
    },
    "Choose": {
        "ask": ("Find the best solution within your limits, or describe the front.", "ask recipe.toml --max-loss 25%"),
    },
    "Publish": {
        "release": ("Write an anonymized table and verify it.", "release recipe.toml --k 10 --out published.csv"),
        "run": ("Do everything that a recipe requests, from the table to the report.", "run recipe.toml"),
        "report": (
            "Write a report for reviewers on a choice or a release.",
            "report recipe.toml --release published.csv",
        ),
        "apply": (
            "Apply a saved recoding to another table and check whether it is still k-anonymous.",
            "apply published.csv.recoding.json june.csv --out june-published.csv",
        ),
    },
    "Check": {
        "audit": (
            "Measure the privacy of a table as it is: k, l, t, and re-identification risks.",
            "audit table.csv --quasi-identifiers age,sex,zipcode",
        ),
        "verify": ("Check a release against its manifest.", "verify published.csv"),
    },
}
"""The commands of each group: one sentence and one example each."""

for _place, (_title, _commands) in enumerate(_GROUPS.items()):
    _group = Group(_title, sort_key=_place)
    for _order, (_name, (_sentence, _example)) in enumerate(_commands.items()):
        app.command(
            f"paranym.cli.commands.{_name}:{'app' if _name == 'hierarchy' else _name}",
            name=_name,
            help=f"{_sentence}\n\nExample: paranym {_example}",
            group=_group,
            sort_key=_order,
        )
app.register_install_completion_command(
    help="Let your shell (bash, zsh, fish, PowerShell) complete commands and options with the Tab key."
)
_more = Group("More", sort_key=len(_GROUPS))
for _flag in ("--help", "--version", "--install-completion"):
    app[_flag].group = (_more,)

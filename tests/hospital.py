"""A hospital of 6,000 patients with 8,390 stays, short and long: most patients have one row, some have many."""

import numpy as np
import pyarrow as pa

PATIENTS, STAYS = 6_000, 8_390

AGES = {"intervals": [5, 10, 20, 40]}
WARDS = [[f"{floor}{room}", floor, "*"] for floor in "ABCD" for room in range(1, 6)]
MONTHS = [[f"2024-{month:02}", f"2024 Q{(month + 2) // 3}", "2024", "*"] for month in range(1, 13)]


def stays(patients: int = PATIENTS, rows: int = STAYS, *, seed: int = 7) -> pa.Table:
    """Every patient stays once; the further stays go to few patients, who mostly return to their ward at once."""
    rng = np.random.default_rng(seed)
    age, sex, home = rng.integers(18, 98, patients), rng.integers(0, 2, patients), rng.integers(0, len(WARDS), patients)
    often = rng.choice(patients, patients // 20, replace=False)
    who = np.concatenate([np.arange(patients), rng.choice(often, rows - patients)])
    strays = rng.random(rows) < 0.3
    ward = np.where(strays, rng.integers(0, len(WARDS), rows), home[who])
    month = np.where(strays, rng.integers(0, len(MONTHS), rows), rng.integers(0, len(MONTHS), patients)[who])
    order = rng.permutation(rows)
    return pa.table({
        "patient": [f"p{number:05}" for number in who[order]],
        "age": age[who][order],
        "sex": [("F", "M")[one] for one in sex[who][order]],
        "ward": [WARDS[one][0] for one in ward[order]],
        "month": [MONTHS[one][0] for one in month[order]],
        "days": rng.geometric(0.2, rows)[order],
    })  # fmt: skip

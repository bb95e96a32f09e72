#!/bin/sh
# Three parties, one of which has nothing to mask: sh examples/parties.sh [FOLDER]
# The columns are split as in the masking article: age and education are sensitive, and lie with
# two of the parties. Needs `privet` on the PATH.
set -eu
folder=${1:-parties}
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"

say() { printf '\n%s\n' "$1"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "0. People of whom no party knows everything; the clear table is for comparison only"
python - <<'PYTHON'
from privet.datasets import adult_like
from privet.files import write_table
from privet.table import Coded, Table, Domain
from privet.schema import Kind
import numpy as np

people = adult_like(3_000, 1)
labels = np.array([f"level {n:02}" for n in people["education_num"].domain.values], dtype=object)
education = Coded(Domain(Kind.CATEGORY, labels), people["education_num"].codes)
ids = Coded.of(np.array([f"p{i:04}" for i in range(3_000)], dtype=object), Kind.CATEGORY,
               np.zeros(3_000, dtype=bool))
parties = {"one": ("age", "workclass", "marital_status"),
           "two": ("occupation", "relationship"),
           "three": ("race", "sex", "education")}
columns = {name: people[name] for name in people.names} | {"education": education, "id": ids}
for party, names in parties.items():
    write_table(Table({n: columns[n] for n in ("id", *names)}), f"{party}.csv")
clear = [n for names in parties.values() for n in names]
write_table(Table({n: columns[n] for n in clear}), "clear.csv")
PYTHON

say "1. The secret of the parties; the miner never has it"
run privet party init --project adult --out project.key

say "2. Each party masks at home. The second has nothing sensitive: no codebook"
run privet mask one.csv --key id --sensitive age --bounds age=16,32,48,64,80,96 --aliases sorted \
    --codebook one.book --project-key project.key --out sent-one.parquet --fill-out one.fill.json
run privet mask two.csv --key id --project-key project.key --out sent-two.parquet \
    --fill-out two.fill.json
run privet mask three.csv --key id --sensitive education --aliases sorted \
    --codebook three.book --project-key project.key --out sent-three.parquet \
    --fill-out three.fill.json

say "3. The miner holds each file against its receipt, joins, and grows the tree"
run privet join sent-one.parquet sent-two.parquet sent-three.parquet --out joined.parquet
run privet tree joined.parquet --target H_education --leaves 6 --out mined.json

say "4. Each party decodes what it owns, one after the other"
run privet decode mined.json --codebook one.book --out half.json
run privet decode half.json --codebook three.book --out decoded.json

say "5. The tree of the clear table is the same"
run privet tree clear.csv --target education --leaves 6 --out clear.json
run privet compare decoded.json clear.json

#!/bin/sh
# Privet in a minute, on a built-in table: sh examples/demo.sh [FOLDER]
# Needs `privet` on the PATH; `make demo` sees to that.
set -eu
folder=${1:-demo}
table=$folder/hospital.csv
rm -rf "$table" "$folder/hospital.toml" "$folder/release" "$folder/audit"  # of an earlier run

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold='' plain=''; fi
say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
run() { printf '$ %s\n' "$*"; "$@"; }

say "1. A table of 2,000 invented patients"
run python -m privet.datasets hospital 2000 --out "$table"

say "2. A first schema: what is each column? Edit the file and give it back with --schema"
run privet schema "$table" --out "$folder/hospital.toml"

say "3. How private is the table as it is? Dates of birth single nearly everybody out"
run privet check "$table" --quasi birth_date,postcode,sex --sensitive diagnosis

say "4. The tree that researchers want: who comes back within 30 days?"
run privet tree "$table" --target readmitted --identifier patient_id --drop diagnosis --leaves 6

say "5. What would each size of the tree cost in privacy?"
run privet explore "$table" --target readmitted --identifier patient_id --sensitive diagnosis \
    -k 20 --leaves 8

say "6. Publish: at least 20 records alike, diagnoses diverse, and the same tree grows again"
run privet publish "$table" --target readmitted --identifier patient_id --sensitive diagnosis \
    -k 20 -l 2 --leaves 6 --audit "$folder/audit" --out "$folder/release"

say "7. What anybody can check who holds only the release"
run privet verify "$folder/release"

say "Done. Open $folder/release/report.html; what must stay inside is in $folder/audit/"

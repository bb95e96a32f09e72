#!/bin/sh
# Makes report.png: the top of the report of the release in README. Needs Chromium.
#     sh docs/pictures/report.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python -m privet.datasets hospital 2000 --out patients.csv
privet publish patients.csv --target readmitted --identifier patient_id --sensitive diagnosis \
    -k 20 -l 2 --leaves 6 --out patients-release
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="${1:-1000,1195}" \
    --screenshot="$work/report.png" "file://$work/patients-release/report.html"
mv report.png "$here/report.png"

#!/bin/sh
# A Spark cluster on this machine, from the pip package: a master and two workers. They publish a
# table and verify the release; then they stop. sh examples/cluster.sh [FOLDER]
# Needs `privet` on the PATH with privet[spark], and Java 17 or newer.
set -eu
folder=${1:-cluster}
rows=${ROWS:-2000}
mkdir -p "$folder"
table=$folder/hospital.csv
rm -rf "$table" "$folder/release"  # of an earlier run

say() { printf '\n%s\n' "$1"; }
run() { printf '$ %s\n' "$*"; "$@"; }

export SPARK_LOCAL_IP=127.0.0.1
spark=$(python -W ignore -c 'import pyspark; print(pyspark.__path__[0])')/bin/spark-class
port=$(python -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
master=spark://127.0.0.1:$port
started=''
stop() { for process in $started; do kill "$process" 2>/dev/null || true; done; }
trap stop EXIT
trap 'exit 130' INT TERM

say "1. A master and two workers"
"$spark" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port "$port" --webui-port 0 \
    >"$folder/master.log" 2>&1 &
started=$!
for worker in 1 2; do
    "$spark" org.apache.spark.deploy.worker.Worker "$master" --host 127.0.0.1 --cores 1 --memory 1g \
        --webui-port 0 --work-dir "$folder/worker-$worker" >"$folder/worker-$worker.log" 2>&1 &
    started="$started $!"
done
echo "$master"

say "2. A table of $rows invented patients"
run python -m privet.datasets hospital "$rows" --out "$table"

say "3. Publish: the cluster counts, and gets codes only"
run privet publish "$table" --target readmitted --identifier patient_id --sensitive diagnosis \
    -k 20 -l 2 --leaves 4 --recoding leaf --format parts --out "$folder/release" \
    --engine spark --spark-master "$master"

say "4. Verify, by the cluster and in memory"
run privet verify "$folder/release" --engine spark --spark-master "$master"
run privet verify "$folder/release"

say "5. Stop the cluster"
stop

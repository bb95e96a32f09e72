"""Write a built-in table to a file: `python -m privet.datasets hospital 2000 --out FILE`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from privet.datasets import make, registry
from privet.errors import PrivetError
from privet.files import write_table


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m privet.datasets",
        description="Write a built-in table, drawn at random from a seed, to a file.",
    )
    parser.add_argument("name", choices=sorted(registry()), help="which table")
    parser.add_argument("rows", type=int, help="how many rows")
    parser.add_argument("--seed", type=int, default=0, help="which draw (default 0)")
    parser.add_argument("--out", type=Path, required=True, help="the file: .csv, .csv.gz, .parquet")
    options = parser.parse_args(arguments)
    try:
        table = make(options.name, options.rows, options.seed)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, options.out)
    except PrivetError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_status
    except OSError as error:
        print(f"Error: {options.out} cannot be written: {error.strerror}.", file=sys.stderr)
        return 2
    print(f"{options.out}: {table.n_rows} rows, {len(table.names)} columns")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env bash
# Builds the fuzz targets and runs each for SECONDS (20 by default); ends with an error if one found something.
#   tests/fuzz/run.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
exec make fuzz FUZZ_SECONDS="${1:-20}"

#!/usr/bin/env bash
# Gradescope runs this once, when it makes the autograder's image: compiler, libraries, and a first build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/lab"
bash common/cmake/setup.sh packages build
python3 tests/course/grade.py --lab . || true

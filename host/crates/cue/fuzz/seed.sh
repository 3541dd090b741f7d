#!/bin/sh
# Fills the corpora of the fuzz targets from a directory: every .cue file, and every section of a .txtar archive that
# ends in .cue.    usage: ./seed.sh DIRECTORY, then: cargo +nightly fuzz run evaluate
set -eu
from=${1:?usage: seed.sh DIRECTORY}
here=$(cd "$(dirname "$0")" && pwd)
for target in parse format evaluate; do
    mkdir -p "$here/corpus/$target"
    find "$from" -name '*.cue' -type f | while read -r file; do
        cp "$file" "$here/corpus/$target/$(echo "$file" | tr '/ ' '__')"
    done
    find "$from" -name '*.txtar' -type f | while read -r file; do
        awk -v out="$here/corpus/$target/$(echo "$file" | tr '/ ' '__')" '
            /^-- .* --$/ { to = $2 ~ /\.cue$/ ? out "_" ++count ".cue" : ""; next }
            to != "" { print > to }
        ' "$file"
    done
done

#!/bin/bash
# One of everything.
set -euo pipefail
name=${1:-default}; list=(a b "c d"); declare -r X=1
export PATH="$HOME/bin:$PATH"
function greet() { local who=$1; echo "hello ${who^^} $(date +%F)" >&2; return 0; }
if [[ $name == a* && -f "$file" ]]; then greet "$name"; elif [ -z "$x" ]; then :; else exit 1; fi
for f in *.txt "${list[@]}"; do cat < "$f" | grep -v '^#' | sort > out.txt 2>&1 || break; done
for ((i = 0; i < 10; i++)); do ((x += i)); done
while read -r line; do echo "$line"; done < input
case $name in a|b) echo 1 ;; *) echo 2 ;; esac
(cd /tmp && ls) & wait
! true
x=$((1 + 2 * 3)); y=`cmd`
cat <<EOF
text $name
EOF

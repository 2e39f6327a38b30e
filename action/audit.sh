#!/usr/bin/env bash
# The steps of the GitHub Action: audit, gate against the base branch's saved audit, and a comment in Markdown.
# All settings are environment variables, so that no text of a pull request becomes part of a command:
#   FILES, AUDIT_OPTIONS, GATE_OPTIONS  words as on a command line; BASE  base branch, empty without one
#   BASELINE  folder of the saved audit in the base branch; OUT  folder for results
set -euo pipefail

words() { # the words of a text, without expansion of variables or file names
  python3 -c 'import shlex, sys; sys.stdout.write("".join(word + "\0" for word in shlex.split(sys.argv[1])))' "$1"
}
mapfile -d '' -t files < <(words "$FILES")
mapfile -d '' -t audit_options < <(words "${AUDIT_OPTIONS:-}")
mapfile -d '' -t gate_options < <(words "${GATE_OPTIONS:-}")
[ "${#files[@]}" -gt 0 ] || { echo "The input 'files' is empty: name the files to audit." >&2; exit 2; }
mkdir -p "$OUT"

fairbrief audit "${files[@]}" "${audit_options[@]}" --out "$OUT/audit" > "$OUT/screen.txt"
cat "$OUT/screen.txt"

before=""
if [ -n "${BASE:-}" ]; then
  git fetch --quiet --depth 1 origin "$BASE"
  if git cat-file -e "FETCH_HEAD:$BASELINE/results.json" 2>/dev/null; then
    before=$(mktemp -d)
    git archive FETCH_HEAD "$BASELINE" | tar -x -C "$before"
    gate_options+=(--baseline "$before/$BASELINE")
  fi
fi

status=0
if [ "${#gate_options[@]}" -gt 0 ]; then
  fairbrief gate "$OUT/audit" "${gate_options[@]}" --markdown "$OUT/gate.md" --junit "$OUT/gate.xml" || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ] || exit "$status"
else
  echo "No gate: the base branch has no audit in '$BASELINE', and 'gate-options' has no limit." | tee "$OUT/gate.md"
fi

{
  echo "<!-- fairbrief -->"
  cat "$OUT/gate.md"
  printf '\n````text\n'
  tr '`' "'" < "$OUT/screen.txt"
  printf '````\n'
} > "$OUT/comment.md"
cat "$OUT/comment.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "status=$status" >> "${GITHUB_OUTPUT:-/dev/null}"
[ -z "$before" ] || rm -r "$before"

# SPDX-License-Identifier: MIT
# The program as a user meets it: exit codes, output on the right stream, refusals. Each NAME_test beside this file
# includes it, takes the program as its argument, calls expect and fail, and ends with finish.
set -u
cairn=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect CODE PATTERN COMMAND...: exit code and a pattern in stdout+stderr
expect() {
  local code=$1 pattern=$2
  shift 2
  local output status
  output=$("$@" 2>&1 </dev/null)
  status=$?
  if [ $status -ne "$code" ] || ! grep -qE -- "$pattern" <<<"$output"; then
    echo "FAILED: $* -> exit $status (expected $code), pattern '$pattern'"
    echo "$output" | head -5
    failures=$((failures + 1))
  fi
}

# fail WORDS...: counts a failure that was found otherwise
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# until_it_catches PID: waits until a process handles SIGINT (a bit of SigCgt), or is gone
until_it_catches() {
  while kill -0 "$1" 2>/dev/null && ! grep -qE '^SigCgt:.*[2367abef]$' "/proc/$1/status" 2>/dev/null; do sleep 0.05; done
}

# until_there PID FILE: waits until a process has made a file, or is gone
until_there() {
  while kill -0 "$1" 2>/dev/null && [ ! -s "$2" ]; do sleep 0.05; done
}

# hash PROBLEM..., state SCENE...: the line with the hash of a solution, of the last state of a run
hash() { "$cairn" solve "$@" --json 2>/dev/null | grep state_hash; }
state() { "$cairn" run "$@" --json 2>/dev/null | grep state_hash; }

# write_ball FILE: the scene file of a ball that overlaps the ground by 100 mm
write_ball() {
  cat >"$1" <<'END'
{"format": "cairn-scene/1", "steps": 20, "solver": {"iterations": 7},
 "bodies": [{"kind": "fixed", "shapes": [{"type": "half_space"}]},
            {"name": "ball", "position": [0, 0, 0.4], "shapes": [{"type": "sphere", "radius": 0.5}]}]}
END
}

# finish: the exit code of the part
finish() {
  [ $failures -eq 0 ] && echo "all checks passed"
  exit $((failures > 0))
}

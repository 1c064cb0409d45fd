say() { printf '%s\n' "$@"; }

confirm() {  # no answer, or no terminal, is a no
  local reply=''
  printf 'Run this? [y/N] '
  read -r reply || true
  [[ "$reply" == [yY]* ]]
}

failed=()
run_block() {  # NAME FUNCTION: show the lines, ask, run
  declare -f "$2" | sed '1,2d;$d'
  if confirm; then
    "$2" < /dev/null || failed+=("$1")
  else
    say 'left as it is'
  fi
}

# BLOCKS

if ((${#failed[@]})); then
  say '' 'These did not work:' "${failed[@]}"
  exit 1
fi
say '' 'Look again with: perfproof doctor'

_perfproof_completion() {
    local line="${COMP_LINE:0:COMP_POINT}" word IFS=$'\n'
    COMPREPLY=($(perfproof completion --answer "$line" 2>/dev/null | cut -f1))
    word="${line##*[[:space:]]}"
    if [[ $word == *[:=]* ]]; then  # bash takes what is before a colon for a word of its own
        COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[:=]}"}"}")
    fi
}
complete -o default -F _perfproof_completion perfproof

#compdef perfproof
_perfproof_completion() {
    local -a lines words_found shown
    lines=("${(@f)$(perfproof completion --answer "${words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}")
    lines=(${lines:#})
    if (( ! ${#lines} )); then
        _files
        return
    fi
    words_found=("${(@)lines%%$'\t'*}")
    shown=("${(@)lines//$'\t'/  -- }")
    compadd -l -d shown -a words_found
}
compdef _perfproof_completion perfproof
